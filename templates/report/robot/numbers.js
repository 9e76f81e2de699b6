// Poses and forces at the current q, and their text.
/** Format a number with four decimals. */
const decimal = (value) => (Math.abs(value) < 5e-5 ? 0 : value).toFixed(4);

function compute() {
  poseOf.forEach((kinematics, place) => kinematics(q, pose[robot.moving[place]].R, pose[robot.moving[place]].p));
  gravity_forces(q, held);
}

function showNumbers() {
  robot.forces.forEach((force, index) => {
    document.getElementById(`force${index}`).textContent = `${decimal(held[index])} ${force.unit}`;
  });
  document.getElementById("centre").textContent = heavy.length ? `(${total().map(decimal).join(", ")})` : "-";
}

let waiting = false;
function update() {
  compute();
  showNumbers();
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}
