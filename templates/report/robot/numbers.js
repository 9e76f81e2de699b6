// What moves with q, computed and told.
/** Number with four digits behind the point. */
const said = (value) => (Math.abs(value) < 5e-5 ? 0 : value).toFixed(4);

function compute() {
  poseOf.forEach((kinematics, place) => kinematics(q, pose[robot.moving[place]].R, pose[robot.moving[place]].p));
  gravity_forces(q, held);
}

function tell() {
  robot.forces.forEach((force, index) => {
    document.getElementById(`force${index}`).textContent = `${said(held[index])} ${force.unit}`;
  });
  document.getElementById("centre").textContent = heavy.length ? `(${total().map(said).join(", ")})` : "-";
}

let waiting = false;
function update() {
  compute();
  tell();
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}
