// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// JavaScript of to_html: reads the film, and computes the poses of its bodies and solids at a time.
#include <string_view>

namespace actio::detail {

inline constexpr std::string_view html_motion = R"js(
// Returns the data of to_html as typed arrays.
function read_film(text) {
  const film = JSON.parse(text);
  const numbers = (type, base64) => new type(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
  film.times = numbers(Float64Array, film.times);
  film.positions = numbers(Float32Array, film.positions);
  film.rotations = numbers(Int16Array, film.rotations);
  film.arrows = numbers(Float32Array, film.arrows);
  film.arrow_ends = numbers(Int32Array, film.arrow_ends);
  const shared = film.x.map((x) => numbers(Float64Array, x));
  for (const { series } of film.plots) {
    for (const curve of series) {
      const y = curve.float === undefined ? numbers(Float64Array, curve.double) : numbers(Float32Array, curve.float);
      const x = shared[curve.x].subarray(0, y.length), has_place = (_, k) => Number.isFinite(x[k]);
      [curve.x, curve.y] = [x.filter(has_place), y.filter(has_place)];
    }
  }
  for (const solid of film.solids) solid.drawn = drawn_as(solid);
  return film;
}

// Returns position p and rotation q of each body at a time, interpolated between frames.
function poses_at(film, time) {
  const { times, positions, rotations, bodies } = film;
  const frame = last_before(times, time), next = Math.min(frame + 1, times.length - 1);
  const s = next > frame ? Math.min(Math.max((time - times[frame]) / (times[next] - times[frame]), 0), 1) : 0;
  return bodies.map((_, body) => {
    const [a, b] = [frame, next].map((k) => k * bodies.length + body);
    const p = [0, 1, 2].map((k) => (1 - s) * positions[3 * a + k] + s * positions[3 * b + k]);
    return { p, q: quaternion.between(rotations.subarray(4 * a, 4 * a + 4), rotations.subarray(4 * b, 4 * b + 4), s) };
  });
}

// Returns point p and force f of each contact in the frame before a time: forces are those of a step, and are not interpolated.
function forces_at(film, time) {
  const { times, arrows, arrow_ends: ends } = film, frame = last_before(times, time);
  const begin = frame > 0 ? ends[frame - 1] : 0, count = ends.length ? ends[frame] - begin : 0;
  return Array.from({ length: count }, (_, k) => {
    const numbers = Array.from(arrows.subarray(6 * (begin + k), 6 * (begin + k + 1)));
    return { p: numbers.slice(0, 3), f: numbers.slice(3) };
  });
}

// Returns a force that nineteen of twenty contacts do not exceed [N]; 0 if there are none.
function usual_force({ arrows }) {
  const sizes = Float32Array.from({ length: arrows.length / 6 }, (_, k) => norm(Array.from(arrows.subarray(6 * k + 3, 6 * k + 6)))).sort();
  return sizes.length ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 0;
}

// Returns the pose of a solid, on its body.
function placed(solid, poses) {
  if (solid.body < 0) return { p: solid.p, q: solid.q };
  const { p, q } = poses[solid.body];
  return { p: plus(p, quaternion.turn(q, solid.p)), q: quaternion.product(q, solid.q) };
}

// Sets the matrices of the solids. @returns the middle of those that move, and a ball around them and the fixed ones nearby.
function place_solids(film, poses) {
  const all = [];
  for (const solid of film.solids) {
    const { p, q } = placed(solid, poses);
    solid.model = p.every(Number.isFinite) ? matrix.of_pose(q, p) : undefined;
    if (solid.model && solid.kind !== 'ground') all.push({ p, reach: reach_of(solid.drawn), moves: solid.body >= 0 });
    if (solid.kind === 'ground') Object.assign(film.grounds.find((ground) => ground.solid === solid), { p, q });
  }
  const moving = all.filter(({ moves }) => moves), around = moving.length ? moving : all;
  const middle = around.reduce((sum, { p }) => plus(sum, p, 1 / around.length), [0, 0, 0]);
  const farthest = ({ p, reach }) => norm(plus(p, middle, -1)) + reach;
  const radius_of = (solids) => solids.map(farthest).reduce((a, b) => Math.max(a, b), 0);
  const near = 3 * radius_of(around), radius = radius_of(all.filter((solid) => farthest(solid) <= near));
  return { middle, ball: { centre: middle, radius: 1.02 * radius || 1 } };
}

// Returns the box around all solids in frames of the film, without fixed solids that are larger than the box of those that move.
function box_around(film, frames) {
  const box = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
  const include = (solid, poses) => {
    const { p, q } = placed(solid, poses), { half, round } = solid.drawn, M = matrix.of_pose(q, p);
    if (solid.kind === 'ground' || !p.every(Number.isFinite)) return;
    const reach = [0, 1, 2].map((k) => round + half.reduce((sum, h, j) => sum + Math.abs(M[4 * j + k]) * h, 0));
    box.low = box.low.map((x, k) => Math.min(x, p[k] - reach[k]));
    box.high = box.high.map((x, k) => Math.max(x, p[k] + reach[k]));
  };
  for (const frame of frames) {
    const poses = poses_at(film, film.times[frame]);
    film.solids.filter(({ body }) => body >= 0).forEach((solid) => include(solid, poses));
  }
  const size = norm(plus(box.high, box.low, -1));
  film.solids.filter(({ body, drawn }) => body < 0 && !(reach_of(drawn) > size)).forEach((solid) => include(solid, []));
  return box.low.every(Number.isFinite) ? box : { low: [-1, -1, -1], high: [1, 1, 1] };
}

// Returns x rounded down to 1, 2 or 5 times a power of ten.
function round_number(x) {
  const decade = 10 ** Math.floor(Math.log10(x)), digit = x / decade;
  return decade * (digit < 2 ? 1 : digit < 5 ? 2 : 5);
}
)js";

}  // namespace actio::detail
