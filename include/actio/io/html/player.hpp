// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// JavaScript of to_html: keeps the time of the film, and connects view, plots and controls.
#include <string_view>

namespace actio::detail {

inline constexpr std::string_view html_player = R"js(
// Says what a button does, for screen readers and as a tooltip. @param more for the tooltip only.
function label(button, text, more) {
  if (button.title === text + more) return;
  button.title = text + more;
  button.setAttribute('aria-label', text);
}

class Player {
  constructor(film) {
    this.film = film;
    const parts = this.parts = Object.fromEntries(Array.from(document.querySelectorAll('[id]'), (part) => [part.id, part]));
    [this.begin, this.end] = [film.times[0], film.times[film.times.length - 1]];
    this.time = this.begin;
    this.speed = 1;
    this.sharpness = 1;  // while the film plays: less where drawing takes long, as without a graphics processor
    this.pace = 1 / 60;  // seconds from picture to picture, smoothed
    this.loop = true;
    this.axes = false;  // whether the axes of the bodies are shown
    this.forces = true;  // whether the forces of contacts are shown
    this.playing = false;
    this.camera = new Camera();
    parts.title.textContent = film.title;
    document.title = (film.failure ? 'Failed: ' : '') + (film.title || 'Motion');
    parts.failure.hidden = !film.failure;
    parts.failure.querySelector('span').textContent = film.failure ?? '';
    parts.view.setAttribute('aria-label', 'Motion in three dimensions: ' + film.title);
    const count = (n, what) => `${n} ${n === 1 ? what : what === 'body' ? 'bodies' : what + 's'}`;
    const counts = [count(film.bodies.length, 'body'), count(film.times.length, 'frame')];
    parts.about.textContent = `${counts.join(', ')}, ${number_text(this.end - this.begin, 4)} s`;

    const ends = film.plots.flatMap(({ series }) => series.flatMap(({ x }) => [x[0], x[x.length - 1]])).filter(Number.isFinite);
    const span = [ends.reduce((a, b) => Math.min(a, b), this.begin), ends.reduce((a, b) => Math.max(a, b), this.end)];
    this.plots = new Plots(parts.plots, film.plots, span, (time) => this.seek(time));

    this.survey();
    try {
      this.view = new View(parts.view, film);
    } catch (error) {
      parts.trouble.textContent = `${error.message}: only the plots are shown, not the motion.`;
      parts.trouble.hidden = false;
      parts.foot.hidden = parts.camera.hidden = parts.view.hidden = true;
    }
    this.listen();
    this.reframe();
    this.read_address();
  }

  // Finds how large the scene is, what it stands on, and whether the camera should follow it.
  survey() {
    const { film } = this, frames = film.times.length, some = Math.min(frames, Math.ceil(10000 / (film.solids.length + 1)));
    const chosen = Array.from({ length: some }, (_, k) => Math.round(k * (frames - 1) / Math.max(some - 1, 1)));
    const size = ({ low, high }) => norm(plus(high, low, -1));
    this.box = box_around(film, chosen);
    const boxes = chosen.map((frame) => box_around(film, [frame])).sort((a, b) => size(a) - size(b));
    const [usual, largest] = [boxes[some >> 1], boxes[some - 1]];
    this.largest = size(largest) > 20 * size(usual) ? usual : largest;  // bodies that fly far apart do not move the camera
    this.size = size(this.largest);
    this.following = size(this.box) > 5 * this.size;
    film.cell = round_number((this.following ? this.size : size(this.box)) / 6 || 1);
    film.force = round_number(usual_force(film) || 1);
    film.grounds = film.solids.filter(({ kind }) => kind === 'ground').map((solid) => ({ solid, solidity: 0.85 }));
    this.floats = !film.grounds.length;
    if (this.floats) film.grounds.push({ q: [0, 0, 0, 1], solidity: 0 });
    for (const solid of film.solids) solid.marked = !this.floats && Boolean(solid.drawn_only);
    this.parts.marks.hidden = !film.solids.some(({ marked }) => marked);
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
  look_from(side) {
    if (side in sides) [this.camera.azimuth, this.camera.elevation] = sides[side];
    this.reframe();
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
  go_to(time) {
    this.pause();
    this.seek(time);
  }
  // Moves by a number of frames from the one that is shown.
  step(frames) {
    const { times } = this.film, frame = last_before(times, this.time + 1e-9 * (this.end - this.begin));
    this.go_to(times[Math.min(Math.max(frame + frames, 0), times.length - 1)]);
  }

  // Draws at the next opportunity, once, or repeatedly while the film plays.
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
    const passed = Math.min((now - (this.last ?? now)) / 1000, 0.25);  // a page that was hidden continues where it was
    this.last = now;
    this.time += this.speed * passed;
    this.pace += 0.1 * (passed - this.pace);
    if (this.pace > 1 / 22 && this.sharpness > 0.4) [this.sharpness, this.pace] = [0.75 * this.sharpness, 1 / 60];
    if (this.time < this.end) return;
    if (this.loop) this.time = this.begin + (this.time - this.begin) % (this.end - this.begin);
    else [this.time, this.playing] = [this.end, false];
  }
  time_text(time) {
    return time.toFixed(Math.min(Math.max(2 - Math.floor(Math.log10(this.end - this.begin || 1)), 2), 12));
  }
  is_dark() { return matchMedia('(prefers-color-scheme: dark)').matches; }
  draw() {
    const { film, parts, camera } = this, poses = poses_at(film, this.time), { middle, ball } = place_solids(film, poses);
    if (this.following) camera.target = plus(camera.target, plus(middle, this.middle, -1));
    this.middle = middle;
    if (this.floats) film.grounds[0].p = [0, 0, this.following ? middle[2] - 0.6 * this.size : this.box.low[2]];
    parts.scale.textContent = `grid ${number_text(film.cell)} m` + (this.floats && this.following ? ', moves with the bodies' : '');
    camera.aspect = parts.view.clientWidth / parts.view.clientHeight || 1;
    const world = { p: [0, 0, 0], q: [0, 0, 0, 1] };
    const frames = this.axes ? [world, ...poses].filter(({ p }) => p.every(Number.isFinite)) : [];
    const sharpness = this.playing && !this.video ? this.sharpness : 1;
    const forces = this.forces ? forces_at(film, this.time) : [];
    this.view?.draw(camera, ball, this.is_dark() ? themes.dark : themes.light, this.named, sharpness, frames, forces);
    if (this.video) this.film_on();

    parts.time.replaceChildren(this.time_text(this.time), element('span', '', ` / ${this.time_text(this.end)} s`));
    parts.slider.value = this.time;
    parts.slider.setAttribute('aria-valuetext', `${this.time_text(this.time)} s of ${this.time_text(this.end)} s`);
    parts.play.classList.toggle('playing', this.playing);
    label(parts.play, this.playing ? 'Pause' : 'Play', ' (space)');
    const pressed = { loop: this.loop, follow: this.following, axes: this.axes, forces: this.forces };
    for (const [name, value] of Object.entries(pressed)) parts[name].setAttribute('aria-pressed', value);
    parts.colours.hidden = !this.axes;
    parts.forces.hidden = !film.arrows.length;
    parts.newtons.hidden = parts.forces.hidden || !this.forces;
    parts.newtons.textContent = `contact forces: ${number_text(film.force)} N as long as the grid`;
    parts.side.value = camera.side();
    parts.video.classList.toggle('recording', Boolean(this.video));
    label(parts.video, this.video ? 'Stop recording and save the video' : 'Record a video', this.video ? '' : ' (WebM)');
    this.plots.show(this.time);
  }

  // Returns the text that is written on pictures and videos.
  lines() {
    const { title, failure } = this.film;
    return [title, `t = ${this.time_text(this.time)} s`, ...(failure ? ['The run failed: ' + failure] : [])];
  }
  file_name(end) { return (this.film.title.replace(/[^\p{L}\p{N}.-]+/gu, '_').replace(/^[_.]+|[_.]+$/g, '') || 'motion') + end; }
  say(text) { this.parts.message.textContent = text; }
  save_picture() {
    this.draw();
    const { width, height } = this.parts.view, canvas = Object.assign(document.createElement('canvas'), { width, height });
    const name = this.file_name(`_${this.time_text(this.time)}s.png`);
    compose(canvas, this.parts.view, this.lines(), this.is_dark());
    canvas.toBlob((blob) => {
      if (blob) save_file(blob, name);
      this.say(blob ? `Saved ${name}` : 'This browser could not write the picture.');
    });
  }
  // Plays the film from its beginning and records it at the chosen speed; if it is being recorded, ends the video.
  record() {
    if (this.video) return this.pause();
    const trouble = video_trouble() || (this.end <= this.begin ? 'A motion of one frame makes no video; save a picture.' : '');
    this.say(trouble);
    if (trouble) return;
    const name = this.file_name('.webm'), loop = this.loop;
    try {
      this.video = new Video(this.parts.view, (blob, error) => {
        this.video = undefined;
        this.loop = loop;
        this.say(blob?.size ? `Saved ${name}` : `The video could not be recorded: ${error?.message ?? 'it is empty'}.`);
        if (blob?.size) save_file(blob, name);
        this.refresh();
      });
    } catch (error) {
      return this.say(`The video could not be recorded: ${error.message}.`);
    }
    this.loop = false;
    this.time = this.begin;
    this.playing = false;
    this.play();
    this.say('Recording. The page must stay visible.');
  }
  // Adds a picture to the video, the last one when the film stands still.
  film_on() {
    compose(this.video.canvas, this.parts.view, this.lines(), this.is_dark());
    if (!this.playing && !this.video.ending) this.video.ending = setTimeout(() => this.video?.stop(), 100);
  }

  listen() {
    const { parts } = this;
    Object.assign(parts.slider, { min: this.begin, max: this.end, disabled: this.end <= this.begin });
    parts.play.disabled = parts.back.disabled = parts.on.disabled = this.end <= this.begin;
    parts.slider.addEventListener('input', () => this.seek(parts.slider.value));
    for (const speed of [0.01, 0.1, 0.25, 0.5, 1, 2, 4]) parts.speed.append(new Option(`${speed}\u00d7`, speed, speed === 1, speed === 1));
    parts.speed.addEventListener('change', () => { this.speed = Number(parts.speed.value); });

    const actions = {
      play: () => (this.playing ? this.pause() : this.play()),
      back: () => this.step(-1),
      on: () => this.step(1),
      loop: () => { this.loop = !this.loop; this.refresh(); },
      follow: () => { this.following = !this.following; this.refresh(); },
      axes: () => { this.axes = !this.axes; this.refresh(); },
      forces: () => { this.forces = !this.forces; this.refresh(); },
      reframe: () => this.look_from('oblique'),
      picture: () => this.save_picture(),
      video: () => this.record(),
    };
    for (const [name, action] of Object.entries(actions)) {
      parts[name].addEventListener('click', ({ detail }) => {
        if (detail > 0) parts[name].blur();  // after a mouse click: the space bar plays and pauses, unless a key gave a button the focus
        action();
      });
    }
    parts.side.addEventListener('change', () => this.look_from(parts.side.value));
    const keys = { ' ': actions.play, ArrowLeft: actions.back, ArrowRight: actions.on, l: actions.loop, f: actions.follow, a: actions.axes,
      c: actions.forces, r: actions.reframe, Home: () => this.go_to(this.begin), End: () => this.go_to(this.end) };
    Object.keys(sides).forEach((side, k) => { keys[k] = () => this.look_from(side); });
    addEventListener('keydown', (event) => {
      const { key, target } = event, has_own = target.localName === 'select' || (key === ' ' && target.localName === 'button');
      if (!(key in keys) || event.ctrlKey || event.metaKey || event.altKey || has_own) return;
      event.preventDefault();
      keys[key]();
    });

    const moved = () => {
      this.framed = false;
      this.refresh();
    };
    move_by_hand(parts.view, this.camera, moved);
    move_by_keys(parts.view, this.camera, moved);
    parts.view.addEventListener('dblclick', actions.reframe);
    parts.view.addEventListener('pointermove', (event) => this.point_at(event));
    parts.view.addEventListener('pointerdown', (event) => this.point_at(event));
    parts.view.addEventListener('pointerleave', () => this.name_solid());
    parts.view.addEventListener('webglcontextlost', (event) => event.preventDefault());
    parts.view.addEventListener('webglcontextrestored', () => {
      this.view = new View(parts.view, this.film);
      this.refresh();
    });
    new ResizeObserver(() => (this.framed ? this.reframe() : this.refresh())).observe(parts.space);
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
    const remark = solid?.marked ? ', does not touch the ground' : '';
    if (solid) name.textContent = (solid.name && solid.name !== body ? `${body}: ${solid.name}` : body) + remark;
    if (this.named !== solid) this.refresh();
    this.named = solid;
  }
  // Does what the address asks for after '#': t=SECONDS, speed=FACTOR, view=SIDE, axes, noforces, paused.
  read_address() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.has('t')) this.seek(asked.get('t'));
    if (asked.has('speed')) this.speed = Number(this.parts.speed.value = asked.get('speed')) || 1;
    if (asked.has('view')) this.look_from(asked.get('view'));
    this.axes ||= asked.has('axes');
    this.forces &&= !asked.has('noforces');
    if (asked.has('paused') || matchMedia('(prefers-reduced-motion: reduce)').matches) this.pause();
    else this.play();
  }
}

const player = new Player(read_film(document.getElementById('film').textContent));

// For automated tests.
window.actio = {
  play: () => player.play(),
  pause: () => player.pause(),
  seek: (time) => { player.seek(time); player.draw(); },
  time: () => player.time,
  playing: () => player.playing,
  drawn: () => Boolean(player.view),
  values: () => player.plots.values(),
  poses: () => poses_at(player.film, player.time),
  forces: () => forces_at(player.film, player.time),
  picture: () => { player.draw(); return player.parts.view.toDataURL(); },
};
)js";

}  // namespace actio::detail
