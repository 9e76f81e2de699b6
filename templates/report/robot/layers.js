// Layers of the drawing, which plotly draws.
const line = (name, width) => ({ type: "scatter3d", mode: "lines", hoverinfo: "skip", line: { color: colour(name), width } });
const marks = (name, size, texts) => ({ type: "scatter3d", mode: "markers", hovertemplate: "%{text}<extra></extra>", text: texts, marker: { color: colour(name), size } });
const rgb = ["#d62728", "#2ca02c", "#1f77b4"];
const plain = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const solid = (name, corners) => ({ type: "mesh3d", hoverinfo: "skip", color: colour(name), flatshading: false, lighting: { ambient: 0.65, diffuse: 0.6, specular: 0.15, roughness: 0.6 }, i: column(corners, 0), j: column(corners, 1), k: column(corners, 2) });

/** Layers: the checkbox that shows a layer, its style, and its points at the current q. */
const layers = [
  ...(robot.shapes.length ? [{ show: "meshes", style: () => ({ ...solid("mesh", surface), flatshading: true, opacity: 0.55 }), at: meshes }] : []),
  { style: () => ({ ...solid("body", sides(segmentsOf(skeleton()).length)), opacity: 0.7 }), at: () => tubes(segmentsOf(skeleton()), 0.02 * robot.size) },
  ...["revolute", "prismatic"].flatMap((type) => [
    { style: () => solid(type, sides(hubsOf(type).length)), at: () => tubes(hubsOf(type), 0.036 * robot.size) },
    { show: "axes", style: () => line(type, 3), at: () => axesOf(type) },
  ]),
  { show: "coms", style: () => marks("com", 5, heavy.map((link) => `${plain(link.name)}: ${link.mass} kg`)), at: () => points(placed()) },
  { show: "coms", style: () => marks("total", 8, ["all links"]), at: () => points(heavy.length ? [total()] : []) },
  {
    show: "ellipsoids",
    style: () => ({ type: "mesh3d", hoverinfo: "skip", opacity: 0.18, color: colour("com"), i: column(triangles, 0), j: column(triangles, 1), k: column(triangles, 2) }),
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

/** Axes of the drawing: the cube around the robot as it stands now. It grows if the robot leaves it. */
const cube = (() => {
  let low = [Infinity, Infinity, Infinity];
  let high = low.map((bound) => -bound);
  return () => {
    const now = skeleton().flat();
    const margin = 0.08 * robot.size;
    low = low.map((bound, k) => Math.min(bound, ...now.map((point) => point[k] - margin)));
    high = high.map((bound, k) => Math.max(bound, ...now.map((point) => point[k] + margin)));
    const side = Math.max(...high.map((bound, k) => bound - low[k]));
    return high.map((bound, k) => [(bound + low[k] - side) / 2, (bound + low[k] + side) / 2]);
  };
})();

const layout = () => ({
  width: scene.clientWidth,
  height: scene.clientHeight,
  margin: { l: 0, r: 0, t: 0, b: 0 },
  showlegend: false,
  paper_bgcolor: colour("ground"),
  uirevision: "kept",
  scene: {
    aspectmode: "cube",
    camera: { eye: { x: 0.9, y: -1.9, z: 0.75 }, center: { x: 0, y: 0, z: -0.1 } },
    ...Object.fromEntries(["x", "y", "z"].map((name, k) => [`${name}axis`, { range: cube()[k], title: { text: `${name} in m` }, color: colour("quiet"), gridcolor: colour("line"), zerolinecolor: colour("quiet"), backgroundcolor: colour("ground") }])),
  },
});

function draw() {
  Plotly.react(scene, layers.map((layer) => ({ ...layer.style(), ...layer.at(), visible: shown(layer), showlegend: false })), layout(), { displaylogo: false, showSendToCloud: false });
}
