// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// JavaScript of to_html: the camera and the gestures that move it.
#include <string_view>

namespace actio::detail {

inline constexpr std::string_view html_camera = R"js(
// Sides from which the camera looks: its azimuth and elevation. Robots face along x, so that their front is seen from +x.
const sides = { oblique: [-1.05, 0.26], front: [0, 0], side: [-Math.PI / 2, 0], top: [-Math.PI / 2, Math.PI / 2] };

class Camera {
  constructor() {
    this.slope = Math.tan(Math.PI / 11);  // of half the vertical angle of view
    this.aspect = 1;
    this.target = [0, 0, 0];
    this.distance = 1;
    [this.azimuth, this.elevation] = sides.oblique;
  }
  // Returns the directions right, up and back, also where the camera looks straight down.
  axes() {
    const level = Math.cos(this.elevation), right = [-Math.sin(this.azimuth), Math.cos(this.azimuth), 0];
    const back = [level * Math.cos(this.azimuth), level * Math.sin(this.azimuth), Math.sin(this.elevation)];
    return [right, cross(back, right), back];
  }
  // Returns the name of the side from which the camera looks.
  side() { return Object.keys(sides).find((name) => sides[name][0] === this.azimuth && sides[name][1] === this.elevation) ?? 'free'; }
  eye() { return plus(this.target, this.axes()[2], this.distance); }
  matrix() {
    const view = matrix.seen_from(this.eye(), this.axes());
    return matrix.product(matrix.perspective(this.slope * this.aspect, this.slope, this.distance / 50, this.distance * 100), view);
  }
  // Moves the camera so that a box { low, high } is fully visible; the direction stays.
  fit({ low, high }) {
    this.target = low.map((x, k) => (x + high[k]) / 2);
    const axes = this.axes(), size = norm(plus(high, low, -1));
    this.distance = size > 0 ? 0 : 1;
    for (let corner = 0; corner < 8; corner++) {
      const point = low.map((x, k) => (corner >> k & 1 ? high[k] : x));
      const [x, y, z] = axes.map((axis) => dot(axis, plus(point, this.target, -1)));
      const wide = Math.abs(x) / (0.9 * this.slope * this.aspect), high_up = Math.abs(y) / (0.86 * this.slope);
      this.distance = Math.max(this.distance, z + wide, z + high_up);
    }
  }
  orbit(dx, dy) {
    this.azimuth -= dx;
    this.elevation = Math.min(Math.max(this.elevation + dy, -Math.PI / 2), Math.PI / 2);
  }
  // Moves the camera sideways; distances are fractions of the picture's height.
  pan(dx, dy) {
    const [right, up] = this.axes(), height = 2 * this.slope * this.distance;
    this.target = plus(plus(this.target, right, -dx * height), up, dy * height);
  }
  zoom(factor) { this.distance = Math.min(Math.max(this.distance * factor, 1e-6), 1e9); }
}

// One finger or the left button orbits; two fingers, the right button or shift pan, and pinching zooms.
function move_by_hand(canvas, camera, moved) {
  const fingers = new Map();
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener('pointermove', (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const dx = event.clientX - finger.x, dy = event.clientY - finger.y, height = canvas.clientHeight;
    const before = fingers.size === 2 ? spread() : 0;
    finger.x = event.clientX;
    finger.y = event.clientY;
    if (fingers.size === 2) {
      camera.pan(dx / 2 / height, dy / 2 / height);
      camera.zoom(before / Math.max(spread(), 1));
    } else if (fingers.size === 1) {
      if (event.buttons & 6 || event.shiftKey) camera.pan(dx / height, dy / height);
      else camera.orbit(3 * dx / height, 3 * dy / height);
    }
    moved();
  });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(Math.min(Math.max(event.deltaY * (event.deltaMode ? 30 : 1), -240), 240) / 800));
    moved();
  }, { passive: false });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
}

// While the canvas has the focus, arrows orbit (with shift they pan), plus and minus zoom.
function move_by_keys(canvas, camera, moved) {
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const zooms = { '+': 1 / 1.15, '=': 1 / 1.15, '-': 1.15 };
  canvas.addEventListener('keydown', (event) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || !(key in arrows || key in zooms)) return;
    if (key in zooms) camera.zoom(zooms[key]);
    else if (shiftKey) camera.pan(...arrows[key].map((x) => x / 20));
    else camera.orbit(...arrows[key].map((x) => x * Math.PI / 36));
    event.preventDefault();
    event.stopPropagation();  // otherwise they would step through the frames
    moved();
  });
}
)js";

}  // namespace actio::detail
