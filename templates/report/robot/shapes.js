// Shapes at the current q: skeleton, axes, frames, masses.
const heavy = robot.links.filter((link) => link.com);
const parents = new Set(robot.links.map((link) => link.parent));
const jointed = (type) => robot.links.filter((link) => link.axis && (link.type === "prismatic") === (type === "prismatic"));

/** Lines from each joint to the next, and from the last joints to the frames of their links. */
function skeleton() {
  const made = robot.links.map((link) => {
    const parent = robot.links[link.parent];
    const from = parent ? inBase(parent.carrier, parent.moved) : [0, 0, 0];
    return [from, inBase(parent ? parent.carrier : -1, link.start), inBase(link.carrier, link.moved)];
  });
  robot.links.forEach((link, index) => {
    if (!parents.has(index)) made.push([inBase(link.carrier, link.moved), inBase(link.carrier, link.origin)]);
  });
  for (const frame of robot.frames) made.push([inBase(frame.carrier, robot.links[frame.link].moved), inBase(frame.carrier, frame.origin)]);
  return made;
}

/** Two directions that are perpendicular to a vector and to each other. */
function across([x, y, z]) {
  const length = Math.hypot(x, y, z) || 1;
  const away = Math.abs(z) < 0.9 * length ? [0, 0, 1] : [1, 0, 0];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (v) => v.map((entry) => entry / (Math.hypot(...v) || 1));
  const first = unit(cross([x, y, z], away));
  return [first, unit(cross([x, y, z], first))];
}

const AROUND = 14; // corners of a tube

/** Round tubes with closed ends along segments, as one mesh; a segment of no length is no tube. */
function tubes(segments, radius) {
  const corners = [];
  for (const [from, to] of segments) {
    const direction = to.map((value, k) => value - from[k]);
    const [u, v] = across(direction);
    const r = Math.hypot(...direction) > 1e-9 ? radius : 0;
    for (const end of [from, to]) {
      corners.push(end);
      for (let k = 0; k < AROUND; k += 1) {
        const [c, s] = [Math.cos((2 * Math.PI * k) / AROUND), Math.sin((2 * Math.PI * k) / AROUND)];
        corners.push(end.map((value, axis) => value + r * (c * u[axis] + s * v[axis])));
      }
    }
  }
  return points(corners);
}

/** Triangles of as many tubes. */
function sides(count) {
  const made = [];
  for (let tube = 0; tube < count; tube += 1) {
    const [low, high] = [0, 1].map((end) => (2 * tube + end) * (AROUND + 1));
    for (let k = 1; k <= AROUND; k += 1) {
      const next = (k % AROUND) + 1;
      made.push([low + k, low + next, high + k], [low + next, high + next, high + k], [low, low + next, low + k], [high, high + k, high + next]);
    }
  }
  return made;
}

const segmentsOf = (polylines) => polylines.flatMap((polyline) => polyline.slice(1).map((end, k) => [polyline[k], end]));
const hubsOf = (type) => jointed(type).map((link) => [-1, 1].map((end) => inBase(link.carrier, along(link.moved, link.axis, 0.045 * end * robot.size))));
const axesOf = (type) => lines(jointed(type).map((link) => [-1, 1].map((end) => inBase(link.carrier, along(link.moved, link.axis, 0.11 * end * robot.size)))));
const triadOf = (frames, k, length) => lines(frames.map((frame) => [inBase(frame.carrier, frame.origin), inBase(frame.carrier, along(frame.origin, column(frame.rotation, k), length))]));
const placed = () => heavy.map((link) => inBase(link.carrier, link.com));

function total() {
  const mass = heavy.reduce((sum, link) => sum + link.mass, 0);
  const centres = placed();
  return [0, 1, 2].map((k) => heavy.reduce((sum, link, index) => sum + link.mass * centres[index][k], 0) / mass);
}

/** All ellipsoids as one mesh. */
function ellipsoids() {
  const made = heavy.flatMap((link) => sphere.at.map((u) => inBase(link.carrier, link.com.map((c, row) => c + [0, 1, 2].reduce((sum, k) => sum + link.ellipsoid[row][k] * u[k], 0)))));
  return points(made);
}

const triangles = heavy.flatMap((_, index) => sphere.triangles.map((corners) => corners.map((corner) => corner + index * sphere.at.length)));

/** Triangles of the shapes of all links, as one mesh. */
const surface = (() => {
  let first = 0;
  return robot.shapes.flatMap((shape) => {
    const here = first;
    first += shape.points.length;
    return shape.triangles.map((corners) => corners.map((corner) => corner + here));
  });
})();

const meshes = () => points(robot.shapes.flatMap((shape) => shape.points.map((point) => inBase(shape.carrier, point))));
