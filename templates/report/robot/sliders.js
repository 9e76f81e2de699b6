// Sliders, which set q.
/** Convert roll, pitch, yaw of the sliders to a unit quaternion x y z w. */
function quaternion([roll, pitch, yaw]) {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((angle) => [Math.cos(angle / 2), Math.sin(angle / 2)]);
  return [sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy];
}

const sliders = robot.sliders.map((slider, index) => {
  const label = document.createElement("label");
  const value = document.createElement("output");
  const input = Object.assign(document.createElement("input"), { type: "range", id: `slider${index}`, min: slider.low, max: slider.high, step: "any" });
  input.value = Math.min(Math.max(0, slider.low), slider.high);
  label.append(slider.label, value, input);
  document.getElementById("sliders").append(label);
  input.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!steps) return;
    event.preventDefault();
    input.valueAsNumber += (steps * (slider.high - slider.low)) / 100;
    input.dispatchEvent(new Event("input"));
  });
  input.addEventListener("input", () => {
    set();
    update();
  });
  return { ...slider, input, value };
});

/** Set q from the sliders. */
function set() {
  const turn = [0, 0, 0];
  let free = -1;
  for (const { input, value, unit, q: place, free: kind } of sliders) {
    const now = input.valueAsNumber;
    value.textContent = `${now.toFixed(3)} ${unit}`;
    if (kind === undefined) q[place] = now;
    else if (kind < 3) q[place + kind] = now;
    else {
      free = place;
      turn[kind - 3] = now;
    }
  }
  if (free >= 0) q.set(quaternion(turn), free + 3);
}

robot.forces.forEach((force, index) => {
  const row = document.querySelector("#forces tbody").insertRow();
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = force.label;
  const cell = document.createElement("td");
  cell.id = `force${index}`;
  row.append(head, cell);
});

function home() {
  for (const { input, low, high } of sliders) input.value = Math.min(Math.max(0, low), high);
  set();
  update();
}

/** Set the sliders from the page's address, one number for each slider. */
function fromAddress() {
  const values = new URLSearchParams(location.hash.slice(1)).get("q");
  if (values === null) return;
  values.split(",").map(Number).slice(0, sliders.length).forEach((value, index) => {
    if (Number.isFinite(value)) sliders[index].input.value = value;
  });
  set();
  update();
}

document.getElementById("home").addEventListener("click", home);
for (const box of document.querySelectorAll("[data-show]")) box.addEventListener("change", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("hashchange", fromAddress);
home();
fromAddress();
if (robot.motion) openMotion(robot.motion);
draw();
new ResizeObserver(draw).observe(scene);
