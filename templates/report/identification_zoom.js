// Zoom of the charts: all charts of a log show the same part of its time.
"use strict";

/** Create an element of SVG in another. */
function draw(tag, attributes, parent, text = "") {
  const element = document.createElementNS(parent.namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  parent.append(element);
  return element;
}

/** Read heights from 0 (lower end of the panel) to 1. */
function decode(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return Array.from({ length: bytes.length / 2 }, (_, place) => (bytes[2 * place] + 256 * bytes[2 * place + 1]) / 65535);
}

/** Return round numbers between two ends, about six. */
function chooseTicks(low, high) {
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, place) => ((first + place) * step).toFixed(digits));
}

/** Return what a figure consists of: panels, lines with their samples, and the interval of time. */
function readChart(figure) {
  const samples = JSON.parse(figure.querySelector("script").textContent);
  const svg = figure.querySelector("svg");
  const boxes = [...svg.querySelectorAll(".zoom-box")].map((box) => box.getBBox());
  const lines = ["measured", "predicted", "residual"].map((name, place) => {
    const path = svg.querySelector(`.zoom-${name} path`);
    return { path, whole: path.getAttribute("d"), box: boxes[place < 2 ? 0 : 1], heights: decode(samples[name]) };
  });
  const ticks = draw("g", { class: "ticks" }, svg);
  return { figure, svg, boxes, lines, ticks, start: samples.start, end: samples.end };
}

/** Show the part of a chart between two fractions of its time. */
function show(chart, low, high) {
  const whole = low <= 0 && high >= 1;
  for (const axis of chart.svg.querySelectorAll(".zoom-axis")) axis.style.visibility = whole ? "" : "hidden";
  for (const { path, whole: all, box, heights } of chart.lines) {
    const last = heights.length - 1;
    const first = Math.max(0, Math.floor(low * last));
    const points = heights.slice(first, Math.ceil(high * last) + 1).map((height, place) => {
      const x = box.x + (((first + place) / last - low) / (high - low)) * box.width;
      return `${x.toFixed(2)} ${(box.y + (1 - height) * box.height).toFixed(2)}`;
    });
    path.setAttribute("d", whole ? all : `M ${points.join(" L ")}`);
  }
  chart.ticks.replaceChildren();
  if (whole) return;
  const time = (part) => chart.start + part * (chart.end - chart.start);
  for (const text of chooseTicks(time(low), time(high))) {
    const part = (Number(text) - chart.start) / (chart.end - chart.start);
    for (const [place, box] of chart.boxes.entries()) {
      const x = box.x + ((part - low) / (high - low)) * box.width;
      const bottom = box.y + box.height;
      draw("line", { x1: x, x2: x, y1: bottom, y2: bottom + 3.5 }, chart.ticks);
      if (place) draw("text", { x, y: bottom + 14 }, chart.ticks, text);
    }
  }
  const below = chart.boxes[1];
  draw("text", { x: below.x + below.width / 2, y: below.y + below.height + 26 }, chart.ticks, "t in s");
}

/** Let the charts of a log be zoomed together. */
function connect(charts) {
  let [low, high] = [0, 1];
  const set = (from, to) => {
    const width = Math.min(1, Math.max(to - from, 1e-4));
    low = Math.min(Math.max(0, from), 1 - width);
    high = low + width;
    for (const chart of charts) show(chart, low, high);
  };
  const scale = (factor, centre = (low + high) / 2) => set(centre + (low - centre) * factor, centre + (high - centre) * factor);
  for (const chart of charts) {
    const { svg, boxes } = chart;
    let from = null;
    /** Return the place of the pointer as a part of the panel's width. */
    const locate = (event) => {
      const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return (x - boxes[0].x) / boxes[0].width;
    };
    const band = draw("rect", { class: "band", y: boxes[0].y, height: boxes[1].y + boxes[1].height - boxes[0].y, width: 0 }, svg);
    svg.addEventListener("pointerdown", (event) => {
      const part = locate(event);
      if (event.button || part < 0 || part > 1) return;
      from = { part, low, high };
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (!from) return;
      const part = Math.min(1, Math.max(0, locate(event)));
      if (event.shiftKey) {
        const moved = (from.part - part) * (from.high - from.low);
        set(from.low + moved, from.high + moved);
        return;
      }
      band.setAttribute("x", boxes[0].x + Math.min(part, from.part) * boxes[0].width);
      band.setAttribute("width", Math.abs(part - from.part) * boxes[0].width);
    });
    svg.addEventListener("pointerup", (event) => {
      const part = Math.min(1, Math.max(0, locate(event)));
      const selected = from && !event.shiftKey && Math.abs(part - from.part) > 0.01;
      const ends = selected && [from.part, part].sort((one, other) => one - other).map((end) => low + end * (high - low));
      from = null;
      band.setAttribute("width", 0);
      if (ends) set(...ends);
    });
    svg.addEventListener("pointercancel", () => {
      from = null;
      band.setAttribute("width", 0);
    });
    svg.addEventListener("dblclick", () => set(0, 1));
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      scale(event.deltaY < 0 ? 0.8 : 1.25, low + locate(event) * (high - low));
    }, { passive: false });
    chart.figure.addEventListener("keydown", (event) => {
      const step = 0.2 * (high - low);
      const actions = {
        "+": () => scale(0.5),
        "-": () => scale(2),
        ArrowLeft: () => set(low - step, high - step),
        ArrowRight: () => set(low + step, high + step),
        0: () => set(0, 1),
      };
      // Arrows scroll a wide drawing as usual while all of the time is shown.
      const scrolls = event.key.startsWith("Arrow") && low === 0 && high === 1;
      if (!actions[event.key] || event.ctrlKey || event.metaKey || scrolls) return;
      event.preventDefault();
      actions[event.key]();
    });
  }
}

for (const log of document.querySelectorAll("details.log")) {
  // A closed log has no layout, so that its panels have no size before it is opened.
  const begin = () => {
    if (!log.open || log.dataset.zooms) return;
    log.dataset.zooms = true;
    connect([...log.querySelectorAll("figure")].map(readChart));
  };
  log.addEventListener("toggle", begin);
  begin();
}
document.querySelector(".zooming").hidden = false;
