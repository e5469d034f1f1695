// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// JavaScript of to_html: solids, their shadows and the ground, drawn with WebGL 2.
#include <string_view>

namespace actio::detail {

inline constexpr std::string_view html_view = R"js(
const shaders = {
  vertex: `#version 300 es
    uniform mat4 camera, model;
    uniform vec3 size;
    uniform float stretch;
    in vec4 corner;
    in vec3 normal;
    out vec3 at, facing, place;
    void main() {
      place = corner.xyz * size + vec3(0, 0, corner.w * stretch);
      vec4 world = model * vec4(place, 1);
      at = world.xyz;
      facing = mat3(model) * normal;
      gl_Position = camera * world;
    }`,
  // Computes how much of the light reaches a point: the mean of 16 samples of the shadow map, each of them smoothed.
  sunlight: `#version 300 es
    precision highp float;
    precision highp sampler2DShadow;
    uniform sampler2DShadow depths;
    uniform mat4 sun;
    uniform float texel;
    uniform vec3 eye;
    in vec3 at, facing, place;
    out vec4 colour;
    float sunlight(vec3 point) {
      vec3 s = (sun * vec4(point, 1)).xyz * 0.5 + 0.5;
      if (any(greaterThan(abs(s.xy - 0.5), vec2(0.495)))) return 1.0;
      float sum = 0.0;
      for (float x = -1.5; x < 2.0; x++) {
        for (float y = -1.5; y < 2.0; y++) sum += texture(depths, vec3(s.xy + vec2(x, y) * 1.3 * texel, min(s.z, 1.0)));
      }
      return sum / 16.0;
    }`,
  solid: `
    uniform vec3 paint, to_sun, box, sky, earth;
    uniform float texel_size, glow, stripe;  // stripe: length of a stripe, 0 for none
    uniform mat4 model;
    void main() {
      vec3 n = facing;
      if (box.x > 0.0) {  // shades edges as if they were rounded
        float bevel = 0.06 * min(box.x, min(box.y, box.z));
        vec3 over = max(abs(place) - (0.5 * box - bevel), 0.0);
        n = mat3(model) * (sign(place) * over);
      }
      n = normalize(n);
      vec3 to_eye = normalize(eye - at);
      float towards = dot(n, to_sun);
      float lit = smoothstep(-0.05, 0.25, towards) * max(towards, 0.0) * sunlight(at + n * 2.5 * texel_size);
      vec3 light = mix(earth, sky, 0.5 + 0.5 * n.z) + vec3(1.0, 0.96, 0.9) * 1.05 * lit;
      float shine = pow(max(dot(n, normalize(to_sun + to_eye)), 0.0), 40.0) * 0.14 * lit;
      float rim = pow(1.0 - max(dot(n, to_eye), 0.0), 3.0) * 0.10;
      vec3 coat = paint;
      if (stripe > 0.0) coat = mix(paint, vec3(0.5 + 0.25 * sky), 0.85 * step(0.5, fract((place.x + place.y + place.z) / stripe)));
      colour = vec4(pow(coat * light * (1.0 + glow) + shine + rim * sky, vec3(1.0 / 2.2)), 1);
    }`,
  ground: `
    uniform vec3 floor_paint, line_paint;
    uniform vec2 focus;
    uniform float cell, reach, solidity, shade;
    float lines(vec2 p) {
      vec2 width = fwidth(p), off = abs(fract(p - 0.5) - 0.5) / width;
      vec2 near = (1.0 - smoothstep(0.3, 1.1, off)) * (1.0 - smoothstep(0.15, 0.5, width));
      return max(near.x, near.y);
    }
    void main() {
      float fade = 1.0 - smoothstep(0.25, 1.0, length(place.xy - focus) / reach);
      float grid = max(0.45 * lines(place.xy / cell), lines(place.xy / (5.0 * cell)));
      float shadow = shade * (1.0 - sunlight(at));
      float seen = dot(facing, eye - at) > 0.0 ? solidity : 0.15 * solidity;
      float alpha = max(max(seen, 0.75 * grid), shadow) * fade;
      vec3 paint = mix(floor_paint, line_paint, grid * 0.6) * (1.0 - shadow * solidity);
      if (solidity == 0.0) paint = line_paint * smoothstep(0.0, 0.3, grid);  // without a ground, shadows are black
      colour = vec4(pow(paint, vec3(1.0 / 2.2)), alpha);
    }`,
  depth: `#version 300 es
    precision highp float;
    out vec4 colour;
    void main() { colour = vec4(1); }`,
  number: `#version 300 es
    precision highp float;
    uniform vec2 number;
    out vec4 colour;
    void main() { colour = vec4(number, 0, 1); }`,
};

const themes = {
  light: { sky: [0.62, 0.66, 0.72], earth: [0.3, 0.29, 0.28], floor: [0.72, 0.75, 0.8], line: [0.36, 0.41, 0.49], still: [0.45, 0.48, 0.52],
    shade: 0.5 },
  dark: { sky: [0.42, 0.48, 0.58], earth: [0.12, 0.12, 0.14], floor: [0.022, 0.028, 0.038], line: [0.1, 0.125, 0.165],
    still: [0.16, 0.18, 0.21],
    shade: 0.72 },
};
// Rotations that take z to x, y and z, and the colours of these axes.
const triad = [[[0, Math.SQRT1_2, 0, Math.SQRT1_2], [0.85, 0.04, 0.06]], [[-Math.SQRT1_2, 0, 0, Math.SQRT1_2], [0.03, 0.5, 0.08]],
  [[0, 0, 0, 1], [0.06, 0.2, 0.95]]];
const to_sun = unit([0.45, -0.55, 1.1]);
const depth_pixels = 2048;

class View {
  // Throws where the browser has no WebGL 2.
  constructor(canvas, film) {
    this.canvas = canvas;
    this.film = film;
    const gl = this.gl = canvas.getContext('webgl2', { antialias: true });
    if (!gl) throw new Error('This browser does not support WebGL 2');
    this.programs = {
      solid: this.program(shaders.sunlight + shaders.solid),
      ground: this.program(shaders.sunlight + shaders.ground),
      depth: this.program(shaders.depth),
      number: this.program(shaders.number),
    };
    this.meshes = {};
    for (const name of ['ball', 'cylinder', 'cone', 'box', 'square']) this.meshes[name] = this.mesh(meshes[name]());
    this.make_depths();
    this.make_pixel();
    gl.enable(gl.DEPTH_TEST);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  program(fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, shaders.vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, 'corner');
    gl.bindAttribLocation(program, 1, 'normal');
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      const logs = gl.getAttachedShaders(program).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error([gl.getProgramInfoLog(program), ...logs].join(' '));
    }
    const at = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
      const { name, type } = gl.getActiveUniform(program, k);
      at[name] = { type, place: gl.getUniformLocation(program, name) };
    }
    return { program, at };
  }
  // Sets values by name; those that a program does not use are ignored.
  set({ program, at }, values) {
    const gl = this.gl;
    gl.useProgram(program);
    for (const [name, value] of Object.entries(values)) {
      if (!(name in at)) continue;
      const { type, place } = at[name];
      if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(place, false, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(place, value);
      else if (type === gl.FLOAT_VEC2) gl.uniform2fv(place, value);
      else gl.uniform1f(place, value);
    }
  }
  mesh({ corners, normals, triangles }) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const [k, size, numbers] of [[0, 4, corners], [1, 3, normals]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, gl.FLOAT, false, 0, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(triangles), gl.STATIC_DRAW);
    return { array, count: triangles.length };
  }
  make_depths() {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, depth_pixels, depth_pixels);
    this.depths = gl.getParameter(gl.TEXTURE_BINDING_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const [name, value] of [['MIN_FILTER', gl.LINEAR], ['MAG_FILTER', gl.LINEAR], ['WRAP_S', gl.CLAMP_TO_EDGE],
      ['WRAP_T', gl.CLAMP_TO_EDGE]]) {
      gl.texParameteri(gl.TEXTURE_2D, gl['TEXTURE_' + name], value);
    }
    this.depth_buffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.depth_buffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depths, 0);
  }
  // Makes one pixel, into which the solid under the pointer is drawn as its number.
  make_pixel() {
    const gl = this.gl;
    this.pixel = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pixel);
    for (const [attachment, format] of [[gl.COLOR_ATTACHMENT0, gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT16]]) {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, 1, 1);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, attachment, gl.RENDERBUFFER, buffer);
    }
  }

  draw_solids(program, each) {
    const gl = this.gl;
    this.film.solids.forEach((solid, k) => {
      if (solid.kind === 'ground' || !solid.model) return;
      const mesh = this.meshes[solid.drawn.mesh];
      this.set(program, { model: solid.model, size: solid.drawn.size, stretch: solid.drawn.stretch, ...each(solid, k) });
      gl.bindVertexArray(mesh.array);
      gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_SHORT, 0);
    });
  }
  // Draws the shadow map. The light's projection covers a sphere around all solids that cast shadows.
  draw_shadows({ centre, radius }) {
    const gl = this.gl;
    this.sun = matrix.product(matrix.orthographic(radius), matrix.seen_from(centre, axes_of(to_sun)));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.depth_buffer);
    gl.viewport(0, 0, depth_pixels, depth_pixels);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 2);
    this.set(this.programs.depth, { camera: this.sun });
    this.draw_solids(this.programs.depth, () => ({}));
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }
  // Draws axes of a length [m] at poses, in front of everything else.
  draw_axes(poses, length) {
    const gl = this.gl, { array, count } = this.meshes.cylinder;
    gl.bindVertexArray(array);
    gl.depthRange(0, 0.01);
    for (const { p, q } of poses) {
      for (const [turn, paint] of triad) {
        const rotation = quaternion.product(q, turn), middle = plus(p, quaternion.turn(rotation, [0, 0, length / 2]));
        this.set(this.programs.solid, { model: matrix.of_pose(rotation, middle), size: [length / 28, length / 28, length], stretch: 0,
          paint, box: [0, 0, 0], glow: 0.5, stripe: 0 });
        gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_SHORT, 0);
      }
    }
    gl.depthRange(0, 1);
  }
  // Draws forces as arrows of a length per newton [m/N] that end where they act, in front of everything else.  @param thick [m].
  draw_forces(forces, scale, thick) {
    const gl = this.gl, part = (mesh, rotation, p, size) => {
      const { array, count } = this.meshes[mesh];
      gl.bindVertexArray(array);
      this.set(this.programs.solid, { model: matrix.of_pose(rotation, p), size, stretch: 0, paint: [0.9, 0.45, 0.02], box: [0, 0, 0],
        glow: 0.5, stripe: 0 });
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_SHORT, 0);
    };
    gl.depthRange(0, 0.01);
    for (const { p, f } of forces) {
      const length = scale * norm(f), along = unit(f), head = Math.min(length, 4 * thick), shaft = length - head;
      if (!(length > 0)) continue;
      const rotation = quaternion.of_z(along);
      part('cone', rotation, p, [0.4 * head, 0.4 * head, head]);
      if (shaft > 0) part('cylinder', rotation, plus(p, along, -head - shaft / 2), [thick / 2, thick / 2, shaft]);
    }
    gl.depthRange(0, 1);
  }
  // Draws the solids where place_solids put them. @param ball around those that move.  @param sharpness pixels drawn for one pixel of the
  // screen.  @param frames poses whose axes are shown.  @param forces that are shown.
  draw(camera, ball, theme, named, sharpness, frames, forces) {
    const gl = this.gl, { canvas, film } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.round(size * devicePixelRatio * sharpness));
    if (!width || !height) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.draw_shadows(ball);

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const scene = { camera: camera.matrix(), eye: camera.eye(), sun: this.sun, texel: 1 / depth_pixels,
      texel_size: 2 * ball.radius / depth_pixels,
      to_sun, sky: theme.sky, earth: theme.earth };
    this.set(this.programs.solid, scene);
    this.draw_solids(this.programs.solid, (solid) => ({
      paint: solid.body < 0 ? theme.still : solid.colour,
      box: solid.kind === 'box' ? solid.size : [0, 0, 0],
      glow: solid === named ? 0.35 : 0,
      stripe: solid.marked ? film.cell / 6 : 0,
    }));
    this.draw_axes(frames, film.cell / 2);
    this.draw_forces(forces, film.cell / film.force, film.cell / 20);
    this.set(this.programs.ground, scene);
    for (const ground of film.grounds) this.draw_ground(ground, camera, theme);
  }
  // Draws the part of a plane around the point at which the camera looks; what lies on the plane hides it.
  draw_ground({ p, q, solidity }, camera, theme) {
    const gl = this.gl, back = [-q[0], -q[1], -q[2], q[3]];
    const focus = quaternion.turn(back, plus(camera.target, p, -1)).slice(0, 2);
    const reach = Math.min(4 * camera.distance, Math.max(40 * this.film.cell, 1.5 * camera.distance));
    const half = reach + Math.hypot(...focus);
    this.set(this.programs.ground, { model: matrix.of_pose(q, p), size: [half, half, 1], stretch: 0, focus, reach, solidity,
      cell: this.film.cell, shade: theme.shade * (solidity ? 1 : 0.55), floor_paint: theme.floor, line_paint: theme.line });
    gl.enable(gl.BLEND);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    gl.depthMask(false);
    gl.bindVertexArray(this.meshes.square.array);
    gl.drawElements(gl.TRIANGLES, this.meshes.square.count, gl.UNSIGNED_SHORT, 0);
    gl.depthMask(true);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.disable(gl.BLEND);
  }
  // Returns the solid at a place in the picture, from 0 to 1 rightwards and downwards; undefined if there is none.
  solid_at(camera, x, y) {
    const gl = this.gl, { clientWidth: width, clientHeight: height } = this.canvas;
    const onto_pixel = new Float32Array([width, 0, 0, 0, 0, height, 0, 0, 0, 0, 1, 0, width * (1 - 2 * x), height * (2 * y - 1), 0, 1]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pixel);
    gl.viewport(0, 0, 1, 1);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.set(this.programs.number, { camera: matrix.product(onto_pixel, camera.matrix()) });
    this.draw_solids(this.programs.number, (_, k) => ({ number: [(k + 1) % 256 / 255, Math.floor((k + 1) / 256) / 255] }));
    const pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return this.film.solids[pixel[0] + 256 * pixel[1] - 1];
  }
}
)js";

}  // namespace actio::detail
