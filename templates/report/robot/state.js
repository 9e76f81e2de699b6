// State of the page: sliders set q, the generated functions compute poses and gravity forces, plotly draws.
const q = new Float64Array(robot.nq);
const pose = robot.links.map(() => ({ R: new Float64Array(9), p: new Float64Array(3) }));
const held = new Float64Array(robot.nv);
const scene = document.getElementById("scene");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
