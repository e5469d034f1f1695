// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// JavaScript of to_html: vectors, rotations, matrices and the meshes of unit solids.
#include <string_view>

namespace actio::detail {

inline constexpr std::string_view html_solids = R"js(
// Vectors are arrays, rotations are quaternions (x, y, z, w), and matrices are stored column by column; z is up.
const plus = (a, b, factor = 1) => a.map((x, k) => x + factor * b[k]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(...a);
const unit = (a) => a.map((x) => x / norm(a));

const quaternion = {
  product(a, b) {
    const v = plus(plus(cross(a, b), b.slice(0, 3), a[3]), a.slice(0, 3), b[3]);
    return [...v, a[3] * b[3] - dot(a, b)];
  },
  turn(q, x) {
    const t = cross(q, x).map((e) => 2 * e);
    return plus(plus(x, t, q[3]), cross(q, t));
  },
  // Returns the smallest rotation that takes z to a unit vector.
  of_z([x, y, z]) {
    return z < -0.999999 ? [1, 0, 0, 0] : unit([-y, x, 0, 1 + z]);
  },
  // Interpolates two quaternions linearly, with the nearer signs, and normalises: close enough from frame to frame.
  between(a, b, s) {
    const sign = dot(a, b) + a[3] * b[3] < 0 ? -1 : 1;
    return unit(Array.from(a, (x, k) => (1 - s) * x + s * sign * b[k]));
  },
};

const matrix = {
  of_pose([x, y, z, w], p) {
    return new Float32Array([
      1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
      2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
      2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0,
      p[0], p[1], p[2], 1,
    ]);
  },
  product(A, B) {
    const C = new Float32Array(16);
    for (let column = 0; column < 16; column += 4) {
      for (let row = 0; row < 4; row++) {
        for (let k = 0; k < 4; k++) C[column + row] += A[4 * k + row] * B[column + k];
      }
    }
    return C;
  },
  perspective(slope_x, slope_y, near, far) {
    return new Float32Array([1 / slope_x, 0, 0, 0, 0, 1 / slope_y, 0, 0,
      0, 0, (near + far) / (near - far), -1, 0, 0, 2 * near * far / (near - far), 0]);
  },
  // Returns the orthographic projection of a cube of half this edge, seen along -z.
  orthographic(half) {
    return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -1 / half, 0, 0, 0, 0, 1]);
  },
  // Returns the matrix from the world to axes right, up and back at a point.
  seen_from(at, [right, up, back]) {
    return new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -dot(right, at), -dot(up, at), -dot(back, at), 1]);
  },
};

// Returns the axes of a view along -back: right, up and back, with z up.
function axes_of(back) {
  const right = unit(cross([0, 0, 1], back));
  return [right, cross(back, right), back];
}

// Meshes of size 1. A corner is x, y, z and the sign of its cap: a capsule is a sphere whose caps are moved apart.
const meshes = {
  // Returns n_u x n_v patches of a surface: point(u, v) returns [corner, normal], u and v from 0 to 1.
  surface(n_u, n_v, point) {
    const mesh = { corners: [], normals: [], triangles: [] };
    for (let i = 0; i <= n_u; i++) {
      for (let j = 0; j <= n_v; j++) {
        const [corner, normal] = point(i / n_u, j / n_v);
        mesh.corners.push(...corner);
        mesh.normals.push(...normal);
        if (i === n_u || j === n_v) continue;
        const k = i * (n_v + 1) + j;
        mesh.triangles.push(k, k + 1, k + n_v + 1, k + 1, k + n_v + 2, k + n_v + 1);
      }
    }
    return mesh;
  },
  joined(parts) {
    const mesh = { corners: [], normals: [], triangles: [] };
    for (const part of parts) {
      const first = mesh.corners.length / 4;
      mesh.corners.push(...part.corners);
      mesh.normals.push(...part.normals);
      mesh.triangles.push(...part.triangles.map((k) => first + k));
    }
    return mesh;
  },
  ball() {
    const rings = 12;  // in each half; the halves have an equator each, and the patches between the two become the wall of a capsule
    return meshes.surface(2 * rings + 1, 40, (u, v) => {
      const ring = Math.round(u * (2 * rings + 1)), sign = ring <= rings ? 1 : -1;
      const angle = Math.PI / 2 * (sign > 0 ? ring : ring - 1) / rings, turn = 2 * Math.PI * v;
      const normal = [Math.sin(angle) * Math.cos(turn), Math.sin(angle) * Math.sin(turn), Math.cos(angle)];
      return [[...normal, sign], normal];
    });
  },
  cylinder() {
    const circle = (v) => [Math.cos(2 * Math.PI * v), Math.sin(2 * Math.PI * v)];
    const disc = (sign) => meshes.surface(1, 48, (u, v) => {
      const [x, y] = circle(sign * v);
      return [[u * x, u * y, sign / 2, 0], [0, 0, sign]];
    });
    const wall = meshes.surface(1, 48, (u, v) => [[...circle(v), 0.5 - u, 0], [...circle(v), 0]]);
    return meshes.joined([disc(1), wall, disc(-1)]);
  },
  // A cone around z with its tip at the origin.
  cone: () => meshes.surface(1, 24, (u, v) => {
    const [x, y] = [Math.cos(2 * Math.PI * v), Math.sin(2 * Math.PI * v)];
    return [[u * x, u * y, -u, 0], [x, y, 1]];
  }),
  box() {
    const side = (a, sign) => meshes.surface(1, 1, (u, v) => {
      const corner = [0, 0, 0, 0], normal = [0, 0, 0];
      corner[a] = sign / 2;
      corner[(a + 1) % 3] = u - 0.5;
      corner[(a + 2) % 3] = sign * (0.5 - v);
      normal[a] = sign;
      return [corner, normal];
    });
    return meshes.joined([0, 1, 2].flatMap((a) => [side(a, 1), side(a, -1)]));
  },
  square: () => meshes.surface(1, 1, (u, v) => [[2 * u - 1, 2 * v - 1, 0, 0], [0, 0, 1]]),
};

// Returns how a solid is drawn: its mesh, the factors of its corners and half the distance between its caps. All of it lies within a
// distance of `round` from a box with the half edges `half`.
function drawn_as({ kind, size, radius: r = 0, length: l = 0 }) {
  if (kind === 'box') return { mesh: 'box', size, stretch: 0, half: size.map((edge) => edge / 2), round: 0 };
  if (kind === 'cylinder') return { mesh: 'cylinder', size: [r, r, l], stretch: 0, half: [0, 0, l / 2], round: r };
  if (kind === 'ground') return { mesh: 'square', size: [1, 1, 1], stretch: 0, half: [0, 0, 0], round: 0 };
  return { mesh: 'ball', size: [r, r, r], stretch: l / 2, half: [0, 0, l / 2], round: r };  // spheres and capsules
}
const reach_of = ({ half, round }) => norm(half) + round;
)js";

}  // namespace actio::detail
