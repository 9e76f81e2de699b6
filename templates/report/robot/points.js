// Points, lines and the unit sphere.
/** Transform a point from the frame of its carrier (a moving link; -1: the base) to the base frame. */
function inBase(carrier, point) {
  if (carrier < 0) return point;
  const { R, p } = pose[carrier];
  return [0, 1, 2].map((row) => p[row] + R[3 * row] * point[0] + R[3 * row + 1] * point[1] + R[3 * row + 2] * point[2]);
}

/** Join polylines to one trace, with a gap after each. */
function lines(polylines) {
  const made = { x: [], y: [], z: [] };
  for (const polyline of polylines) {
    for (const [x, y, z] of [...polyline, [null, null, null]]) {
      made.x.push(x);
      made.y.push(y);
      made.z.push(z);
    }
  }
  return made;
}

const points = (list) => ({ x: list.map((p) => p[0]), y: list.map((p) => p[1]), z: list.map((p) => p[2]) });
const along = (start, direction, length) => start.map((value, k) => value + length * direction[k]);
const column = (matrix, k) => matrix.map((row) => row[k]);

/** Unit sphere: points and triangles, by rings of latitude. */
const sphere = (() => {
  const rings = 8;
  const around = 12;
  const at = [];
  const triangles = [];
  for (let ring = 0; ring <= rings; ring += 1) {
    for (let k = 0; k < around; k += 1) {
      const latitude = (Math.PI * ring) / rings;
      const longitude = (2 * Math.PI * k) / around;
      at.push([Math.sin(latitude) * Math.cos(longitude), Math.sin(latitude) * Math.sin(longitude), Math.cos(latitude)]);
      if (ring < rings) {
        const next = ring * around + ((k + 1) % around);
        const here = ring * around + k;
        triangles.push([here, next, here + around], [next, next + around, here + around]);
      }
    }
  }
  return { at, triangles };
})();
