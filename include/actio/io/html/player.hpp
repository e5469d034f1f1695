// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// JavaScript of to_html: reads the film, keeps its time, and connects view, plots and controls.
#include <string_view>

namespace actio::detail {

inline constexpr std::string_view html_player = R"js(
// The data of to_html as typed arrays.
function read_film(text) {
  const film = JSON.parse(text);
  const numbers = (type, base64) => new type(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
  film.times = numbers(Float64Array, film.times);
  film.positions = numbers(Float32Array, film.positions);
  film.rotations = numbers(Int16Array, film.rotations);
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

// { position, rotation } of each body at a time between frames.
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

// Where a solid is, on its body.
function placed(solid, poses) {
  if (solid.body < 0) return { p: solid.p, q: solid.q };
  const { p, q } = poses[solid.body];
  return { p: plus(p, quaternion.turn(q, solid.p)), q: quaternion.product(q, solid.q) };
}

// Gives solids their matrices. @returns the middle of those that move, and a ball around them and what stands near.
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

// The box around all solids in frames of the film; of what stands still, only what is about as large as what moves counts.
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

// 1, 2 or 5 times a power of ten.
function round_number(x) {
  const decade = 10 ** Math.floor(Math.log10(x)), digit = x / decade;
  return decade * (digit < 2 ? 1 : digit < 5 ? 2 : 5);
}

class Player {
  constructor(film) {
    const at = (name) => document.getElementById(name);
    this.film = film;
    const names = ['scene', 'view', 'name', 'trouble', 'play', 'slider', 'time', 'speed', 'loop', 'follow', 'scale', 'hint'];
    this.parts = Object.fromEntries(names.map((name) => [name, at(name)]));
    [this.begin, this.end] = [film.times[0], film.times[film.times.length - 1]];
    this.time = this.begin;
    this.speed = 1;
    this.sharpness = 1;  // while it plays: less where drawing takes long, as without a graphics processor
    this.pace = 1 / 60;  // seconds from picture to picture, smoothed
    this.loop = true;
    this.playing = false;
    this.camera = new Camera();
    at('title').textContent = film.title;
    document.title = film.title || 'Motion';
    const count = (n, what) => `${n} ${n === 1 ? what : what === 'body' ? 'bodies' : what + 's'}`;
    const counts = [count(film.bodies.length, 'body'), count(film.times.length, 'frame')];
    at('about').textContent = `${counts.join(', ')}, ${number_text(this.end - this.begin, 4)} s`;

    const ends = film.plots.flatMap(({ series }) => series.flatMap(({ x }) => [x[0], x[x.length - 1]])).filter(Number.isFinite);
    const span = [ends.reduce((a, b) => Math.min(a, b), this.begin), ends.reduce((a, b) => Math.max(a, b), this.end)];
    this.plots = new Plots(at('plots'), film.plots, span, (time) => this.seek(time));

    this.survey();
    try {
      this.view = new View(this.parts.view, film);
    } catch (error) {
      this.parts.trouble.textContent = `${error.message}: only the plots are shown, not the motion.`;
      this.parts.trouble.hidden = false;
      this.parts.scale.hidden = this.parts.hint.hidden = true;
    }
    this.listen();
    this.reframe();
    this.read_address();
  }

  // How large the scene is, what it stands on, and whether the camera had better go along.
  survey() {
    const { film } = this, frames = film.times.length, some = Math.min(frames, Math.ceil(10000 / (film.solids.length + 1)));
    const chosen = Array.from({ length: some }, (_, k) => Math.round(k * (frames - 1) / Math.max(some - 1, 1)));
    const size = ({ low, high }) => norm(plus(high, low, -1));
    this.box = box_around(film, chosen);
    const boxes = chosen.map((frame) => box_around(film, [frame])).sort((a, b) => size(a) - size(b));
    const [usual, largest] = [boxes[some >> 1], boxes[some - 1]];
    this.largest = size(largest) > 20 * size(usual) ? usual : largest;  // what flies apart is left to itself
    this.size = size(this.largest);
    this.following = size(this.box) > 5 * this.size;
    film.cell = round_number((this.following ? this.size : size(this.box)) / 6 || 1);
    film.grounds = film.solids.filter(({ kind }) => kind === 'ground').map((solid) => ({ solid, solidity: 0.85 }));
    this.floats = !film.grounds.length;
    if (this.floats) film.grounds.push({ q: [0, 0, 0, 1], solidity: 0 });
    this.middle = place_solids(film, poses_at(film, this.begin)).middle;
  }
  reframe() {
    const { camera, following } = this, { low, high } = following ? this.largest : this.box;
    camera.aspect = this.parts.view.clientWidth / this.parts.view.clientHeight || 1;
    camera.fit({ low, high });
    if (following) camera.target = this.middle;
    this.framed = true;
    this.refresh();
  }

  play() {
    if (this.playing || this.end <= this.begin) return;
    if (this.time >= this.end) this.time = this.begin;
    this.playing = true;
    this.last = undefined;
    this.refresh();
  }
  pause() {
    this.playing = false;
    this.refresh();
  }
  seek(time) {
    this.time = Math.min(Math.max(Number(time) || 0, this.begin), this.end);
    this.refresh();
  }
  // So many frames on, from the one that is shown.
  step(frames) {
    this.pause();
    const { times } = this.film, frame = last_before(times, this.time + 1e-9 * (this.end - this.begin));
    this.seek(times[Math.min(Math.max(frame + frames, 0), times.length - 1)]);
  }

  // Draws once, at the next opportunity; and on and on while the film plays.
  refresh() {
    this.asked ??= requestAnimationFrame((now) => {
      this.asked = undefined;
      this.advance(now);
      this.draw();
      if (this.playing) this.refresh();
    });
  }
  advance(now) {
    if (!this.playing) return;
    const passed = Math.min((now - (this.last ?? now)) / 1000, 0.25);  // a page that was hidden goes on where it was
    this.last = now;
    this.time += this.speed * passed;
    this.pace += 0.1 * (passed - this.pace);
    if (this.pace > 1 / 22 && this.sharpness > 0.4) [this.sharpness, this.pace] = [0.75 * this.sharpness, 1 / 60];
    if (this.time < this.end) return;
    if (this.loop) this.time = this.begin + (this.time - this.begin) % (this.end - this.begin);
    else [this.time, this.playing] = [this.end, false];
  }
  draw() {
    const { film, parts, camera } = this, { middle, ball } = place_solids(film, poses_at(film, this.time));
    if (this.following) camera.target = plus(camera.target, plus(middle, this.middle, -1));
    this.middle = middle;
    if (this.floats) film.grounds[0].p = [0, 0, this.following ? middle[2] - 0.6 * this.size : this.box.low[2]];
    parts.scale.textContent = `grid ${number_text(film.cell)} m` + (this.floats && this.following ? ', moves with the bodies' : '');
    camera.aspect = parts.view.clientWidth / parts.view.clientHeight || 1;
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    this.view?.draw(camera, ball, dark ? themes.dark : themes.light, this.named, this.playing ? this.sharpness : 1);

    const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(this.end - this.begin || 1)), 2), 12);
    const [now, all] = [this.time, this.end].map((time) => time.toFixed(decimals));
    parts.time.replaceChildren(now, element('span', '', ` / ${all} s`));
    parts.slider.value = this.time;
    parts.play.classList.toggle('playing', this.playing);
    parts.loop.setAttribute('aria-pressed', this.loop);
    parts.follow.setAttribute('aria-pressed', this.following);
    this.plots.show(this.time);
  }

  listen() {
    const { parts } = this;
    Object.assign(parts.slider, { min: this.begin, max: this.end, disabled: this.end <= this.begin });
    parts.slider.addEventListener('input', () => this.seek(parts.slider.value));
    for (const speed of [0.01, 0.1, 0.25, 0.5, 1, 2, 4]) parts.speed.append(new Option(`${speed}\u00d7`, speed, speed === 1, speed === 1));
    parts.speed.addEventListener('change', () => { this.speed = Number(parts.speed.value); });

    const actions = {
      play: () => (this.playing ? this.pause() : this.play()),
      back: () => this.step(-1),
      on: () => this.step(1),
      loop: () => { this.loop = !this.loop; this.refresh(); },
      follow: () => { this.following = !this.following; this.refresh(); },
      reframe: () => this.reframe(),
    };
    for (const [name, action] of Object.entries(actions)) document.getElementById(name).addEventListener('click', action);
    const keys = { ' ': 'play', ArrowLeft: 'back', ArrowRight: 'on', l: 'loop', f: 'follow', r: 'reframe' };
    addEventListener('keydown', (event) => {
      if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey || event.target === parts.speed) return;
      event.preventDefault();
      actions[keys[event.key]]();
    });
    addEventListener('keyup', (event) => { if (event.key === ' ') event.preventDefault(); });  // or a button that was clicked goes off

    const moved = () => {
      this.framed = false;
      parts.hint.style.opacity = 0;
      this.refresh();
    };
    move_by_hand(parts.view, this.camera, moved);
    parts.view.addEventListener('dblclick', actions.reframe);
    parts.view.addEventListener('pointermove', (event) => this.point_at(event));
    parts.view.addEventListener('pointerdown', (event) => this.point_at(event));
    parts.view.addEventListener('pointerleave', () => this.name_solid());
    parts.view.addEventListener('webglcontextlost', (event) => event.preventDefault());
    parts.view.addEventListener('webglcontextrestored', () => {
      this.view = new View(parts.view, this.film);
      this.refresh();
    });
    new ResizeObserver(() => (this.framed ? this.reframe() : this.refresh())).observe(parts.scene);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { this.plots.draw(); this.refresh(); });
    addEventListener('hashchange', () => this.read_address());
  }
  // Names the body under the pointer.
  point_at({ clientX, clientY, buttons, type }) {
    if (!this.view || (buttons && type === 'pointermove')) return;
    const frame = this.parts.view.getBoundingClientRect(), x = clientX - frame.left, y = clientY - frame.top;
    const solid = this.view.solid_at(this.camera, x / frame.width, y / frame.height);
    this.name_solid(solid);
    this.parts.name.style.transform = `translate(${x + 14}px, ${y + 16}px)`;
  }
  name_solid(solid) {
    const { name } = this.parts, body = solid && (solid.body < 0 ? 'world' : this.film.bodies[solid.body]);
    name.hidden = !solid;
    if (solid) name.textContent = solid.name && solid.name !== body ? `${body}: ${solid.name}` : body;
    if (this.named !== solid) this.refresh();
    this.named = solid;
  }
  // What the address asks for behind '#': t=SECONDS, speed=FACTOR, paused.
  read_address() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.has('t')) this.seek(asked.get('t'));
    if (asked.has('speed')) this.speed = Number(this.parts.speed.value = asked.get('speed')) || 1;
    if (asked.has('paused') || matchMedia('(prefers-reduced-motion: reduce)').matches) this.pause();
    else this.play();
  }
}

const player = new Player(read_film(document.getElementById('film').textContent));

// For programs that look on.
window.actio = {
  play: () => player.play(),
  pause: () => player.pause(),
  seek: (time) => { player.seek(time); player.draw(); },
  time: () => player.time,
  playing: () => player.playing,
  drawn: () => Boolean(player.view),
  values: () => player.plots.values(),
  poses: () => poses_at(player.film, player.time),
  picture: () => { player.draw(); return player.parts.view.toDataURL(); },
};
)js";

}  // namespace actio::detail
