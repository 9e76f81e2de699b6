// Layers of the drawing, which plotly draws.
const line = (name, width) => ({ type: "scatter3d", mode: "lines", hoverinfo: "skip", line: { color: colour(name), width } });
const marks = (name, size, texts) => ({ type: "scatter3d", mode: "markers", hovertemplate: "%{text}<extra></extra>", text: texts, marker: { color: colour(name), size } });
const rgb = ["#d62728", "#2ca02c", "#1f77b4"];
const plain = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Layers: the checkbox that shows a layer, its style, and its points at the current q. */
const layers = [
  { style: () => line("body", 10), at: () => lines(skeleton()) },
  { show: "axes", style: () => line("revolute", 14), at: () => axesOf("revolute") },
  { show: "axes", style: () => line("prismatic", 14), at: () => axesOf("prismatic") },
  { show: "coms", style: () => marks("com", 4, heavy.map((link) => `${plain(link.name)}: ${link.mass} kg`)), at: () => points(placed()) },
  { show: "coms", style: () => marks("total", 7, ["all links"]), at: () => points(heavy.length ? [total()] : []) },
  {
    show: "ellipsoids",
    style: () => ({ type: "mesh3d", hoverinfo: "skip", opacity: 0.25, color: colour("com"), i: column(triangles, 0), j: column(triangles, 1), k: column(triangles, 2) }),
    at: ellipsoids,
  },
  ...rgb.map((color, k) => ({ show: "triads", style: () => ({ ...line("body", 4), line: { color, width: 4 } }), at: () => triadOf(robot.links, k, 0.08 * robot.size) })),
  ...rgb.map((color, k) => ({ show: "named", style: () => ({ ...line("body", 6), line: { color, width: 6 } }), at: () => triadOf(robot.frames, k, 0.12 * robot.size) })),
  {
    show: "names",
    style: () => ({ type: "scatter3d", mode: "text", hoverinfo: "skip", text: [...robot.links, ...robot.frames].map((each) => plain(each.name)), textfont: { color: colour("text"), size: 11 } }),
    at: () => points([...robot.links.map((link) => inBase(link.carrier, link.moved)), ...robot.frames.map((frame) => inBase(frame.carrier, frame.origin))]),
  },
];
const shown = (layer) => !layer.show || document.querySelector(`[data-show="${layer.show}"]`).checked;

const layout = () => ({
  margin: { l: 0, r: 0, t: 0, b: 0 },
  showlegend: false,
  paper_bgcolor: colour("ground"),
  uirevision: "kept",
  scene: {
    aspectmode: "data",
    camera: { eye: { x: 1.7, y: 1.7, z: 0.8 } },
    ...Object.fromEntries(["x", "y", "z"].map((name) => [`${name}axis`, { title: { text: `${name} in m` }, color: colour("quiet"), gridcolor: colour("line"), zerolinecolor: colour("quiet"), backgroundcolor: colour("ground") }])),
  },
});

function draw() {
  Plotly.react(scene, layers.map((layer) => ({ ...layer.style(), ...layer.at(), visible: shown(layer), showlegend: false })), layout(), { responsive: true, displaylogo: false, showSendToCloud: false });
}
