// Motion: a table of times and positions that the page plays, from the command line or from a file.
const player = { rows: [], at: 0, since: null };
const timeline = document.getElementById("timeline");
const button = document.getElementById("play");

const units = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9, rad: 1, mrad: 1e-3, deg: Math.PI / 180, m: 1, cm: 1e-2, mm: 1e-3 };

/** Find a column by its name, which may end in a unit, as in q1_deg; its place is -1 if it is missing. */
function findColumn(head, name) {
  const pattern = new RegExp(`^(?:${name})(?:[^a-z0-9]+(${Object.keys(units).join("|")})[^a-z0-9]*)?$`, "i");
  const place = head.findIndex((column) => pattern.test(column));
  const unit = place < 0 ? undefined : pattern.exec(head[place])[1];
  return { place, factor: unit === undefined ? 1 : units[unit.toLowerCase()] };
}

/** Read a CSV with the columns t and q1, q2, ...; a message if it does not fit the robot. */
function readMotion(text) {
  const [names, ...rest] = text.trim().split(/\r?\n/);
  const separator = [",", ";", "\t"].find((symbol) => names.includes(symbol)) ?? /\s+/;
  const [head, ...lines] = [names, ...rest].map((line) => line.split(separator).map((cell) => cell.trim()));
  const columns = [findColumn(head, "t|time"), ...Array.from(q, (_, k) => findColumn(head, `q${k + 1}`))];
  if (columns.some(({ place }) => place < 0)) return `expected the columns t, q1 to q${q.length}, found ${head.join(", ")}`;
  const rows = lines.map((line) => columns.map(({ place, factor }) => factor * Number(line[place])));
  if (rows.length < 2 || !rows.flat().every(Number.isFinite)) return "expected at least two rows of numbers";
  player.rows = rows;
  return "";
}

/** Set q by linear interpolation; q of a floating base includes its quaternion, which is normalised. */
function goTo(time) {
  const { rows } = player;
  const next = Math.max(1, rows.findIndex((row) => row[0] >= time));
  const part = Math.min(1, Math.max(0, (time - rows[next - 1][0]) / (rows[next][0] - rows[next - 1][0] || 1)));
  q.forEach((_, k) => {
    q[k] = rows[next - 1][k + 1] * (1 - part) + rows[next][k + 1] * part;
  });
  for (const { free, q: place } of sliders) {
    if (free !== 0) continue;
    const norm = Math.hypot(...q.subarray(place + 3, place + 7));
    for (let k = place + 3; k < place + 7; k += 1) q[k] /= norm;
  }
  for (const { input, value, unit, q: place, free } of sliders) {
    if (free !== undefined) continue;
    input.value = q[place];
    value.textContent = `${q[place].toFixed(3)} ${unit}`;
  }
  player.at = time;
  timeline.value = time;
  document.getElementById("now").textContent = `${time.toFixed(2)} s`;
  update();
}

function play(now) {
  if (player.since === null) return;
  const [first, last] = [player.rows[0][0], player.rows.at(-1)[0]];
  const time = first + (now - player.since) / 1000;
  goTo(Math.min(time, last));
  if (time < last) requestAnimationFrame(play);
  else pause();
}

function pause() {
  player.since = null;
  button.textContent = "play";
}

function toggle() {
  if (player.since !== null) {
    pause();
    return;
  }
  const [first, last] = [player.rows[0][0], player.rows.at(-1)[0]];
  player.since = performance.now() - 1000 * (player.at < last ? player.at - first : 0);
  button.textContent = "pause";
  requestAnimationFrame(play);
}

/** Show the controls of a motion, or why it cannot be played. */
function openMotion(text) {
  pause();
  const problem = readMotion(text);
  document.getElementById("problem").textContent = problem;
  document.getElementById("controls").hidden = problem !== "";
  if (problem) return;
  Object.assign(timeline, { min: player.rows[0][0], max: player.rows.at(-1)[0], step: "any" });
  goTo(player.rows[0][0]);
}

button.addEventListener("click", toggle);
timeline.addEventListener("input", () => {
  pause();
  goTo(timeline.valueAsNumber);
});
document.getElementById("file").addEventListener("change", async (event) => {
  if (event.target.files.length) openMotion(await event.target.files[0].text());
});
