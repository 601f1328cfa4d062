// What the page was written with: typed arrays in base64, and records.

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

/** Read an array written as { type, shape, data }. */
export function array({ type, data }) {
  const raw = atob(data);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  return new TYPES[type](bytes.buffer);
}

/** Read the keyframes of one dataset: for each, x, y and z of every point. */
export function frames(spec, { low, step }) {
  const [many, n, d] = spec.shape;
  const codes = array(spec);
  return Array.from({ length: many }, (_, k) => {
    const out = new Float32Array(3 * n);
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < d; j += 1) out[3 * i + j] = low[j] + step * codes[(k * n + i) * d + j];
    }
    return out;
  });
}

/** Return the middle of all points of a keyframe, half their extents, and the radius of a ball that holds them. */
export function extent(parts) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const points of parts) {
    for (let i = 0; i < points.length; i += 1) {
      const j = i % 3;
      if (points[i] < low[j]) low[j] = points[i];
      if (points[i] > high[j]) high[j] = points[i];
    }
  }
  const centre = low.map((value, j) => (value + high[j]) / 2);
  const half = low.map((value, j) => Math.max((high[j] - value) / 2, 1e-9));
  let square = 0;
  for (const points of parts) {
    for (let i = 0; i < points.length; i += 3) {
      const away = [0, 1, 2].reduce((sum, j) => sum + (points[i + j] - centre[j]) ** 2, 0);
      if (away > square) square = away;
    }
  }
  return { centre, half, radius: Math.max(Math.sqrt(square), 1e-9) };
}

/** Interpolate between two extents. */
export function between(a, b, t) {
  const mix = (u, v) => u + (v - u) * t;
  return {
    centre: a.centre.map((value, j) => mix(value, b.centre[j])),
    half: a.half.map((value, j) => mix(value, b.half[j])),
    radius: mix(a.radius, b.radius),
  };
}

function readColumn(column) {
  const parts = column.parts.map((part) => {
    if (part === null) return null;
    return column.kind === "text" ? part : array(part);
  });
  return { ...column, parts };
}

/** Return what a column says of a point: a text, a number, or null. */
export function valueOf(column, side, i) {
  const part = column.parts[side];
  if (!part) return null;
  if (column.kind === "text") return part[i];
  if (column.kind === "class") return part[i] < column.classes.length ? column.classes[part[i]] : null;
  return Number.isNaN(part[i]) ? null : part[i];
}

/** Turn the record in the page into what the rest works with. */
export function readModel(record) {
  const sides = record.sides.map((side) => {
    const rows = side.rows ? array(side.rows) : null;
    return {
      ...{ title: side.title, n: side.n, whole: side.whole, rows, images: side.images },
      names: side.names ?? Array.from({ length: side.n }, (_, i) => `${side.prefix}${rows ? rows[i] : i}`),
      frames: frames(side.frames, record.space),
      match: { k: side.match.k, index: array(side.match.index), share: array(side.match.share) },
    };
  });
  const extents = record.space.labels.map((_, k) => extent(sides.map((side) => side.frames[k])));
  return { ...record, sides, extents, columns: record.columns.map(readColumn) };
}

/** Return the likeliest partners of a point, best first, as { side, i, share }. */
export function partners(model, side, i) {
  const { k, index, share } = model.sides[side].match;
  const out = [];
  for (let rank = 0; rank < k; rank += 1) {
    const part = share[i * k + rank] / 65535;
    if (part > 0) out.push({ side: 1 - side, i: index[i * k + rank], share: part });
  }
  return out;
}
