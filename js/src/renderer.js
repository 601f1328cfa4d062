// Points drawn by WebGL 2, from a buffer for each dataset: two keyframes, a colour and a state per point.

import * as twgl from "twgl.js";

/** What a point is: not shown, in the background, as always, or in the foreground. */
export const HIDDEN = 0;
export const FAINT = 1;
export const PLAIN = 2;
export const STRONG = 3;

const VERTEX = `#version 300 es
in vec3 from;
in vec3 to;
in vec4 colour;
in float state;
uniform float time;
uniform mat3 turn;
uniform vec3 centre;
uniform vec2 pan;
uniform vec2 scale;
uniform float depth;
uniform float radius;
uniform float size;
uniform float lower;
uniform float upper;
uniform float faint;
out vec4 tint;
out float width;
void main() {
  vec3 seen = turn * (mix(from, to, time) - centre);
  float near = 1.0 / (1.0 - depth * seen.z);
  bool drawn = state >= lower && state <= upper;
  gl_Position = drawn
    ? vec4((seen.xy - pan) * scale * near, clamp(-0.5 * seen.z / radius, -0.99, 0.99), 1.0)
    : vec4(2.0, 2.0, 2.0, 1.0);
  width = size * near * (state > 2.5 ? 1.35 : 1.0);
  gl_PointSize = width + 1.0;
  float fade = depth > 0.0 ? clamp(0.72 + 0.4 * seen.z / radius, 0.3, 1.0) : 1.0;
  tint = vec4(colour.rgb, fade * (state < 1.5 ? faint : 1.0));
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 tint;
in float width;
uniform float shape;
uniform float alpha;
out vec4 pixel;
void main() {
  vec2 p = (gl_PointCoord - 0.5) * (width + 1.0);
  float half_ = 0.5 * width;
  float edge;
  if (shape < 0.5) {
    edge = half_ - length(p);
  } else {
    vec2 q = vec2(abs(p.x), p.y - 0.16 * width);
    edge = min(0.34 * width - q.y, 0.5 * (q.y + 0.62 * width) - 0.866 * q.x);
    if (width > 7.0) edge = min(edge, 0.17 * width - edge);
  }
  float cover = clamp(edge + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  pixel = vec4(tint.rgb, 1.0) * (cover * alpha * tint.a);
}`;

/** An order in which every beginning is a sample of the whole. */
export function shuffled(n) {
  const order = new Uint32Array(n);
  let seed = 2463534242;
  for (let i = 0; i < n; i += 1) {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    const j = (seed >>> 0) % (i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}

function arranged(values, order, width, Type) {
  const out = new Type(order.length * width);
  for (let k = 0; k < order.length; k += 1) {
    for (let j = 0; j < width; j += 1) out[k * width + j] = values[order[k] * width + j];
  }
  return out;
}

function makeBuffers(gl, n) {
  return twgl.createBufferInfoFromArrays(gl, {
    from: { numComponents: 3, data: new Float32Array(3 * n), drawType: gl.DYNAMIC_DRAW },
    to: { numComponents: 3, data: new Float32Array(3 * n), drawType: gl.DYNAMIC_DRAW },
    colour: { numComponents: 4, data: new Uint8Array(4 * n), normalize: true, drawType: gl.DYNAMIC_DRAW },
    state: { numComponents: 1, data: new Uint8Array(n), normalize: false, drawType: gl.DYNAMIC_DRAW },
  });
}

function open(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true, alpha: true });
  if (!gl) return null;
  const program = twgl.createProgramInfo(gl, [VERTEX, FRAGMENT], () => {});
  return program && { gl, program };
}

/** Draw one dataset in a panel: in two passes where some points are in the foreground. */
function drawSide(gl, program, part, scene, panel, side, share) {
  const { seen, ratio } = panel;
  gl.useProgram(program.program);
  twgl.setBuffersAndAttributes(gl, program, part.buffers);
  const base = {
    time: scene.time,
    turn: columns(seen.turn),
    centre: seen.centre,
    pan: seen.pan,
    scale: [(2 * seen.scale) / seen.width, (2 * seen.scale) / seen.height],
    depth: seen.depth,
    radius: panel.radius,
    size: scene.size * ratio * (side === 1 ? 1.25 : 1),
    shape: side,
    alpha: scene.alpha,
    faint: scene.faint,
  };
  const many = Math.max(1, Math.ceil(part.n * share));
  const passes = scene.parted
    ? [
        [FAINT, PLAIN],
        [STRONG, STRONG],
      ]
    : [[FAINT, STRONG]];
  for (const [lower, upper] of passes) {
    const alpha = lower === STRONG ? Math.max(scene.alpha, 0.9) : scene.alpha;
    twgl.setUniforms(program, { ...base, lower, upper, alpha });
    twgl.drawBufferInfo(gl, part.buffers, gl.POINTS, many);
  }
}

function columns(rows) {
  return [rows[0], rows[3], rows[6], rows[1], rows[4], rows[7], rows[2], rows[5], rows[8]];
}

/** Return a renderer on a canvas, or null where there is no WebGL 2. */
export function webglRenderer(canvas, counts) {
  const opened = open(canvas);
  if (!opened) return null;
  const { gl, program } = opened;
  const parts = counts.map((n) => ({ n, order: shuffled(n), buffers: makeBuffers(gl, n) }));
  const set = (side, name, values, width, Type) => {
    const { order, buffers } = parts[side];
    twgl.setAttribInfoBufferFromArray(gl, buffers.attribs[name], arranged(values, order, width, Type));
  };
  return {
    name: "WebGL 2",
    place(side, from, to) {
      set(side, "from", from, 3, Float32Array);
      set(side, "to", to, 3, Float32Array);
    },
    paint: (side, values) => set(side, "colour", values, 4, Uint8Array),
    mark: (side, values) => set(side, "state", values, 1, Uint8Array),
    draw(scene, panels, share) {
      gl.disable(gl.SCISSOR_TEST);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.enable(gl.SCISSOR_TEST);
      for (const panel of panels) {
        const { x, y, width, height, ratio } = panel;
        const box = [x * ratio, canvas.height - (y + height) * ratio, width * ratio, height * ratio];
        gl.viewport(...box);
        gl.scissor(...box);
        for (const side of panel.sides) drawSide(gl, program, parts[side], scene, panel, side, share);
      }
    },
  };
}
