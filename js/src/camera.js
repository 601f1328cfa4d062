// Where points are seen: the same formulas as in the renderer's shader.

/** How far away the eye is in 3-D, in radii of the data. */
export const DISTANCE = 3.5;

export const HOME = Object.freeze({ panX: 0, panY: 0, zoom: 1, yaw: -0.5, pitch: 0.35 });

const MARGIN = 0.92;

/** Return the rotation of a camera, row by row; the identity in the plane. */
export function rotation(camera, solid) {
  if (!solid) return [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const [cy, sy] = [Math.cos(camera.yaw), Math.sin(camera.yaw)];
  const [cp, sp] = [Math.cos(camera.pitch), Math.sin(camera.pitch)];
  return [cy, 0, sy, sp * sy, cp, -sp * cy, -cp * sy, sp, cp * cy];
}

/** Return what projects points: rotation, pixels per unit, and the perspective. */
export function lens(camera, extent, width, height, solid) {
  const [across, down] = solid ? [extent.radius, extent.radius] : [extent.half[0], extent.half[1]];
  const fit = MARGIN * Math.min(width / (2 * across), height / (2 * down));
  return {
    turn: rotation(camera, solid),
    centre: extent.centre,
    pan: [camera.panX * extent.radius, camera.panY * extent.radius],
    scale: fit * camera.zoom,
    depth: solid ? 1 / (DISTANCE * extent.radius) : 0,
    width,
    height,
  };
}

/** Return x, y in pixels from the upper left, and the factor by which the perspective enlarges. */
export function project({ turn, centre, pan, scale, depth, width, height }, x, y, z) {
  const [a, b, c] = [x - centre[0], y - centre[1], z - centre[2]];
  const near = 1 / (1 - depth * (turn[6] * a + turn[7] * b + turn[8] * c));
  return [
    width / 2 + (turn[0] * a + turn[1] * b + turn[2] * c - pan[0]) * scale * near,
    height / 2 - (turn[3] * a + turn[4] * b + turn[5] * c - pan[1]) * scale * near,
    near,
  ];
}

/** Move by pixels. */
export function moved(camera, seen, extent, dx, dy) {
  return {
    ...camera,
    panX: camera.panX - dx / (seen.scale * extent.radius),
    panY: camera.panY + dy / (seen.scale * extent.radius),
  };
}

/** Turn by pixels; a drag across the height is half a turn. */
export function turned(camera, seen, dx, dy) {
  const unit = Math.PI / Math.max(seen.height, 1);
  const pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, camera.pitch + dy * unit));
  return { ...camera, yaw: camera.yaw + dx * unit, pitch };
}

/** Zoom by a factor; what is at (x, y) stays there. */
export function zoomed(camera, seen, extent, factor, x = seen.width / 2, y = seen.height / 2) {
  const zoom = Math.min(400, Math.max(0.2, camera.zoom * factor));
  const grown = zoom / camera.zoom;
  const away = (1 - 1 / grown) / (seen.scale * extent.radius);
  return {
    ...camera,
    zoom,
    panX: camera.panX + (x - seen.width / 2) * away,
    panY: camera.panY - (y - seen.height / 2) * away,
  };
}

/** Return the nearest point within `reach` pixels of (x, y), or -1. */
export function nearest(seen, points, shown, x, y, reach) {
  let best = -1;
  let least = reach * reach;
  for (let i = 0; 3 * i < points.length; i += 1) {
    if (!shown[i]) continue;
    const [px, py] = project(seen, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    const square = (px - x) ** 2 + (py - y) ** 2;
    if (square < least) [best, least] = [i, square];
  }
  return { i: best, square: least };
}

/** Say whether (x, y) is inside a closed polygon, by the even-odd rule. */
export function inside(polygon, x, y) {
  let odd = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const [ax, ay] = polygon[i];
    const [bx, by] = polygon[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
  }
  return odd;
}

/** Return the points within a polygon of pixels. */
export function enclosed(seen, points, shown, polygon) {
  const xs = polygon.map(([x]) => x);
  const ys = polygon.map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const found = [];
  for (let i = 0; 3 * i < points.length; i += 1) {
    if (!shown[i]) continue;
    const [x, y] = project(seen, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    if (x >= left && x <= right && y >= top && y <= bottom && inside(polygon, x, y)) found.push(i);
  }
  return found;
}
