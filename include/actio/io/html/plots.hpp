// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// JavaScript of to_html: plots over time, with a cursor at the film's current time. Axes and colours match to_svg.
#include <string_view>

namespace actio::detail {

inline constexpr std::string_view html_plots = R"js(
const raised = { '-': '\u207b', ...'\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079' };
const power_of_ten = (n) => '10' + Array.from(String(n), (c) => raised[c]).join('');

// Returns a number as text: with a number of significant digits, a true minus sign and powers of ten written out.
function number_text(x, digits = 6) {
  if (!Number.isFinite(x)) return '\u2013';
  const size = Math.abs(x), far = size !== 0 && (size < 1e-3 || size >= 1e6);
  const [mantissa, exponent] = (far ? x.toExponential(digits - 1) : x.toPrecision(digits)).split('e');
  const plain = (mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa).replace('-', '\u2212');
  return far || exponent ? plain + ' \u00d7 ' + power_of_ten(Number(exponent)) : plain;
}

// An axis: its range, and ticks at round numbers, whose labels are relative to a base, in units of 10^exponent.
class Axis {
  constructor(low, high, ticks, widen) {
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (!(high - low > Math.max(1e-12 * size, 1e-300))) {
      const margin = size > 1e-300 ? size / 2 : 1;
      [low, high] = [low - margin, high + margin];
    }
    const raw = high / ticks - low / ticks, decade = 10 ** Math.floor(Math.log10(raw)), digit = raw / decade;
    this.step = decade * (digit < 1.41 ? 1 : digit < 3.16 ? 2 : digit < 7.07 ? 5 : 10);
    this.low = widen ? this.step * Math.floor(low / this.step + 1e-9) : low;
    this.high = widen ? this.step * Math.ceil(high / this.step - 1e-9) : high;
    const coarse = 100 * this.step, is_thin = Math.max(Math.abs(this.low), Math.abs(this.high)) > 1e5 * this.step;
    this.base = is_thin ? coarse * Math.floor(this.low / coarse) : 0;
    const digits = Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / this.step)) + 2;
    this.digits = Math.min(Math.max(digits, 5), 16);  // enough to distinguish values
    const largest = Math.max(Math.abs(this.low - this.base), Math.abs(this.high - this.base));
    this.exponent = largest >= 1e4 || largest < 0.1 ? 3 * Math.floor(Math.log10(largest) / 3) : 0;
  }
  place(value) { return (value / (this.high - this.low) - this.low / (this.high - this.low)) * (this.end - this.begin) + this.begin; }
  value(place) { return this.low + (place - this.begin) / (this.end - this.begin) * (this.high - this.low); }
  ticks() {
    const all = [], first = Math.ceil(this.low / this.step - 1e-9);
    for (let k = first; k < first + 50 && k * this.step <= this.high + 1e-9 * this.step; k++) all.push(k * this.step);
    return all;
  }
  label(tick) {
    const above = tick - this.base;
    return number_text(Math.abs(above) < 1e-3 * this.step ? 0 : above / 10 ** this.exponent, 4);
  }
}

// Returns the last index at which ascending numbers are <= x; 0 if there is none.
function last_before(numbers, x) {
  let low = 0, high = numbers.length;
  while (high - low > 1) {
    const middle = low + high >> 1;
    if (numbers[middle] <= x) low = middle;
    else high = middle;
  }
  return low;
}

// Returns the point of a curve that is nearest in time, which its read-out shows.
function nearest_point({ x, y }, time) {
  let k = last_before(x, time);
  if (k + 1 < x.length && x[k + 1] - time < time - x[k]) k++;
  return { x: x[k] ?? NaN, y: y[k] ?? NaN };
}

// Returns the range of all points, or about that of 99 % of them if the others are so far away that these would look like one line.
function range_of(series, window) {
  const points = series.flatMap(({ x, y }) =>
    Array.from(y).filter((value, k) => Number.isFinite(value) && x[k] >= window[0] && x[k] <= window[1]));
  if (!points.length) return [0, 1];
  const sizes = Float64Array.from(points, Math.abs).sort();
  const usual = sizes[Math.floor((sizes.length - 1) * 99 / 100)], largest = sizes[sizes.length - 1];
  const bound = largest > 50 * usual && usual > 0 ? 2 * usual : largest;
  const inside = points.map((y) => Math.min(Math.max(y, -bound), bound));
  return [inside.reduce((a, b) => Math.min(a, b)), inside.reduce((a, b) => Math.max(a, b))];
}

function element(name, className, text = '') {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

// Returns a plot in words: what it shows, and the range of each curve.
function plot_text({ title, x_label, y_label, y_unit, series }) {
  const curves = series.map(({ name, y }) => {
    const values = y.filter(Number.isFinite);
    if (!values.length) return `${name} without values`;
    const [low, high] = [Math.min, Math.max].map((choose) => number_text(values.reduce((a, b) => choose(a, b)), 4));
    return `${name} from ${low} to ${high}` + (y_unit && ` ${y_unit}`);
  });
  return `${title}: ${y_label} over ${x_label}. ${curves.join('; ')}`;
}

class PlotView {
  constructor(plot) {
    this.plot = plot;
    this.figure = element('figure', 'plot');
    const caption = element('figcaption', ''), legend = element('ul', 'legend');
    this.label = element('span', '');
    caption.append(element('h2', '', plot.title), this.label);
    if (plot.subtitle) caption.append(element('span', '', plot.subtitle));
    const longest = Math.max(0, ...plot.series.map(({ name }) => name.length));
    legend.style.setProperty('--entry', `calc(${Math.min(longest, 40) + 13}ch + 26px)`);  // room for a name and a number
    this.curves = plot.series.map((series, k) => {
      const colour = `var(--c${k % 6})`, key = element('i', k < 6 ? '' : 'dashed'), entry = element('li', ''), dot = element('i', 'dot');
      key.style.borderTopColor = dot.style.background = colour;
      const value = element('span', 'value');
      entry.append(key, element('span', '', series.name), value);
      entry.title = series.name;
      legend.append(entry);
      return { series, value, dot, name: `--c${k % 6}`, dashes: k < 6 ? [] : [6, 4] };
    });
    this.area = element('div', 'area');
    this.canvas = element('canvas', '');
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', plot_text(plot));
    this.cursor = element('div', 'cursor');
    this.range = element('div', 'range');
    this.range.hidden = true;
    this.area.append(this.canvas, this.cursor, this.range, ...this.curves.map(({ dot }) => dot));
    this.figure.append(caption, legend, this.area);
  }

  // Empties the picture and lays out its axes over a window of time. @returns the width of the labels on the left.
  lay_out(window) {
    const width = this.area.clientWidth, height = this.area.clientHeight, { canvas, plot } = this;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    const pen = this.pen = canvas.getContext('2d');
    pen.scale(devicePixelRatio, devicePixelRatio);
    pen.font = '11px ' + getComputedStyle(document.body).fontFamily;

    this.x = new Axis(...window, Math.max(2, width / 70), false);
    this.x.end = width - 10;
    const y = this.y = new Axis(...range_of(plot.series, window), 4, true);
    [y.begin, y.end] = [height - 20, 7];
    const scale = y.exponent ? power_of_ten(y.exponent) : '', unit = [scale, plot.y_unit].filter(Boolean).join(' ');
    const label = plot.y_label.toLowerCase() === plot.title.toLowerCase() ? '' : plot.y_label;
    const above = y.base ? ` above ${[number_text(y.base, 15), plot.y_unit].filter(Boolean).join(' ')}` : '';
    this.label.textContent = label + (unit ? ` [${unit}]` : '') + above;
    return Math.max(...y.ticks().map((tick) => pen.measureText(y.label(tick)).width));
  }
  // Draws axes and curves.  @param left margin for the labels.
  draw(left) {
    const { pen, plot, x, y } = this, style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name);
    x.begin = left;
    const line = (name, x1, y1, x2, y2) => {
      pen.strokeStyle = colour(name);
      pen.beginPath();
      pen.moveTo(x1, y1);
      pen.lineTo(x2, y2);
      pen.stroke();
    };
    const sharp = (place) => Math.round(place) + 0.5;
    pen.fillStyle = colour('--soft');
    pen.textAlign = 'right';
    for (const tick of y.ticks()) {
      line(Math.abs(tick) < 1e-9 * y.step ? '--zero' : '--grid', x.begin, sharp(y.place(tick)), x.end, sharp(y.place(tick)));
      pen.fillText(y.label(tick), x.begin - 6, y.place(tick) + 4);
    }
    const ticks = x.ticks(), x_unit = (x.exponent ? ' \u00d7 ' + power_of_ten(x.exponent) : '') + (plot.x_unit ? ' ' + plot.x_unit : '');
    ticks.forEach((tick, k) => {
      line('--zero', sharp(x.place(tick)), y.begin, sharp(x.place(tick)), y.begin + 4);
      const text = x.label(tick) + (k === ticks.length - 1 ? x_unit : ''), half = pen.measureText(text).width / 2;
      pen.textAlign = 'center';
      pen.fillText(text, Math.min(x.place(tick), x.end + 9 - half), y.begin + 16);
    });
    line('--zero', x.begin, sharp(y.begin), x.end, sharp(y.begin));

    pen.beginPath();
    pen.rect(x.begin - 1, y.end - 2, x.end - x.begin + 2, y.begin - y.end + 4);
    pen.clip();
    pen.lineWidth = 1.6;
    pen.lineJoin = pen.lineCap = 'round';
    for (const { series, name, dashes } of this.curves) {
      pen.strokeStyle = colour(name);
      pen.setLineDash(dashes);
      this.draw_curve(pen, series);
    }
    Object.assign(this.cursor.style, { top: y.end + 'px', height: y.begin - y.end + 'px' });
    Object.assign(this.range.style, { top: y.end + 'px', height: y.begin - y.end + 'px' });
  }
  // Draws a curve, broken where there is no number; an isolated point is drawn as a dot, the round ends of a line without length.
  draw_curve(pen, { x, y }) {
    pen.beginPath();
    let last;
    for (let k = 0; k < y.length; k++) {
      const at = [this.x.place(x[k]), Math.min(Math.max(this.y.place(y[k]), -1e5), 1e5)];
      if (!at.every(Number.isFinite)) last = undefined;
      else if (last) pen.lineTo(...(last = at));
      else {
        pen.moveTo(...(last = at));
        pen.lineTo(...at);
      }
    }
    pen.stroke();
  }

  // Shows the time of the film, and the values at this time.
  show(time) {
    const { x: axis, y: height } = this;
    for (const { series, value, dot } of this.curves) {
      const { x, y } = nearest_point(series, time);
      value.textContent = number_text(y, height?.digits ?? 5);
      if (!axis) continue;
      const at = [axis.place(x), height.place(y)];
      dot.hidden = !(at[0] >= axis.begin - 1 && at[0] <= axis.end + 1 && at[1] >= height.end - 3 && at[1] <= height.begin + 3);
      dot.style.transform = `translate(${at[0]}px, ${at[1]}px)`;
    }
    if (!axis) return;
    const place = axis.place(time);
    this.cursor.hidden = !(place >= axis.begin - 1 && place <= axis.end + 1);
    this.cursor.style.transform = `translateX(${place}px)`;
  }
}

// All plots, over one window of time. Dragging scrubs, dragging with shift selects a window, and a double click shows all again.
class Plots {
  // @param seek is called with the time that was selected.
  constructor(section, plots, span, seek) {
    this.span = this.window = span;
    this.time = span[0];
    this.views = plots.map((plot) => new PlotView(plot));
    section.append(...this.views.map(({ figure }) => figure));
    section.hidden = !plots.length;
    for (const view of this.views) this.listen(view, seek);
    new ResizeObserver(() => this.draw()).observe(section);
  }
  listen(view, seek) {
    const { area } = view;
    let begin = null;  // begin of the window that is being selected
    const time_at = (event) => view.x.value(
      Math.min(Math.max(event.clientX - area.getBoundingClientRect().left, view.x.begin), view.x.end));
    const mark = (now) => {
      const [a, b] = [begin, now].map((time) => view.x.place(time)).sort((p, q) => p - q);
      view.range.hidden = false;
      Object.assign(view.range.style, { transform: `translateX(${a}px)`, width: b - a + 'px' });
    };
    area.addEventListener('pointerdown', (event) => {
      area.setPointerCapture(event.pointerId);
      if (event.shiftKey) mark(begin = time_at(event));
      else seek(time_at(event));
    });
    area.addEventListener('pointermove', (event) => {
      if (!area.hasPointerCapture(event.pointerId)) return;
      if (begin !== null) mark(time_at(event));
      else seek(time_at(event));
    });
    area.addEventListener('pointerup', (event) => {
      if (begin === null) return;
      const window = [begin, time_at(event)].sort((a, b) => a - b);
      begin = null;
      view.range.hidden = true;
      if (window[1] - window[0] > 1e-6 * (this.span[1] - this.span[0])) this.look_at(window);
    });
    area.addEventListener('dblclick', () => this.look_at(this.span));
  }
  look_at(window) {
    this.window = window;
    this.draw();
  }
  draw() {
    const labels = this.views.map((view) => view.lay_out(this.window)), left = Math.ceil(Math.max(...labels)) + 9;  // the plots are aligned
    for (const view of this.views) view.draw(left);
    this.show(this.time);
  }
  show(time) {
    this.time = time;
    for (const view of this.views) view.show(time);
  }
  values() {
    return this.views.map(({ plot, curves }) => ({
      title: plot.title,
      series: curves.map(({ series, value }) => ({ name: series.name, ...nearest_point(series, this.time), text: value.textContent })),
    }));
  }
}
)js";

}  // namespace actio::detail
