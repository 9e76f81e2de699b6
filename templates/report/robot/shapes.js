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

const axesOf = (type) => lines(jointed(type).map((link) => [-1, 1].map((end) => inBase(link.carrier, along(link.moved, link.axis, 0.06 * end * robot.size)))));
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
