// SPDX-License-Identifier: BSD-3-Clause
// html_browser.mjs HTML_FILM CHROMIUM FOLDER [PART_OF_A_NAME]: pages of to_html in a browser without a network. Pictures stay in the
// folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run_tests } from '../support/browser.mjs';

const [program, chromium, folder, only = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
execFileSync(program, [folder]);
const address = (name) => pathToFileURL(resolve(folder, `${name}.html`)).href;

// The data of a page, read without the page's own code.
const html = readFileSync(join(folder, 'humanoid.html'), 'utf8');
const film = JSON.parse(html.match(/<script type="application\/json" id="film">(.*?)<\/script>/s)[1]);
const bytes = (base64) => Uint8Array.from(Buffer.from(base64, 'base64')).buffer;
const doubles = (base64) => new Float64Array(bytes(base64)), floats = (base64) => new Float32Array(bytes(base64));
const times = doubles(film.times), positions = floats(film.positions);
const curve = ({ x, float, double }) => ({ x: doubles(film.x[x]), y: float === undefined ? doubles(double) : floats(float) });

// Parts of the view that are drawn at all, and that have the strong colours only bodies have.
const coverage = `(() => {
  actio.picture();
  const view = document.getElementById('view'), copy = new OffscreenCanvas(view.width, view.height).getContext('2d');
  player.draw();
  copy.drawImage(view, 0, 0);
  const { data } = copy.getImageData(0, 0, view.width, view.height);
  let drawn = 0, strong = 0;
  for (let k = 0; k < data.length; k += 4) {
    const high = Math.max(data[k], data[k + 1], data[k + 2]), low = Math.min(data[k], data[k + 1], data[k + 2]);
    drawn += data[k + 3] > 0;
    strong += data[k + 3] === 255 && high - low > 40;
  }
  return { drawn: drawn / data.length * 4, strong: strong / data.length * 4 };
})()`;
const picture = (page) => page.run('actio.picture()');
const centre_of = (page, selector) => page.run(`(() => {
  const { left, top, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
  return [left + width / 2, top + height / 2];
})()`);

const tests = {
  'opens offline, asks for nothing, draws bodies': [{}, async (page) => {
    await page.visit(address('humanoid') + '#t=3.2&paused');
    await page.settle();
    assert.equal(await page.run('navigator.onLine'), false);
    assert.equal(await page.run('document.title'), 'humanoids');
    assert.equal(await page.run('actio.drawn()'), true);
    const { drawn, strong } = await page.run(coverage);
    assert.ok(drawn > 0.3 && strong > 0.01 && strong < 0.5, `drawn ${drawn}, bodies ${strong}`);
    writeFileSync(join(folder, 'light.png'), await page.screenshot());
    assert.equal(page.requests.length, 1);
  }],
  'plays, pauses and goes on': [{}, async (page) => {
    await page.visit(address('humanoid') + '#t=3.2&paused');
    assert.deepEqual(await page.run('[actio.time(), actio.playing()]'), [3.2, false]);
    const before = await picture(page);
    await page.key(' ', 'Space');
    assert.equal(await page.run('actio.playing()'), true);
    await page.run('new Promise((done) => { const look = () => (actio.time() > 3.5 ? done() : requestAnimationFrame(look)); look(); })');
    await page.key(' ', 'Space');
    const stopped = await page.run('actio.time()');
    assert.notEqual(await picture(page), before);
    await page.settle();
    assert.equal(await page.run('actio.time()'), stopped);
    await page.run('actio.seek(3.2)');
    assert.equal(await picture(page), before);
  }],
  'begins by itself, and anew at the end': [{}, async (page) => {
    await page.visit(address('humanoid') + '#t=9.9');
    await page.run('new Promise((done) => { const look = () => (actio.time() < 5 ? done() : requestAnimationFrame(look)); look(); })');
    assert.equal(await page.run('actio.playing()'), true);
    await page.run("actio.pause(), document.getElementById('loop').click(), actio.seek(9.99), actio.play()");
    await page.run('new Promise((done) => { const look = () => (actio.playing() ? requestAnimationFrame(look) : done()); look(); })');
    assert.equal(await page.run('actio.time()'), 10);
  }],
  'read-outs are the data at the time': [{}, async (page) => {
    await page.visit(address('humanoid') + '#paused');
    for (const frame of [0, 1, 137, 480, 600]) {
      const values = await page.run(`(actio.seek(${times[frame]}), actio.values())`);
      film.plots.forEach(({ title, series }, k) => {
        assert.equal(values[k].title, title);
        const { x, y } = curve(series[0]), shown = values[k].series[0];
        if (x.length !== times.length) return;
        assert.equal(shown.x, times[frame]);
        assert.equal(shown.y, Number.isNaN(y[frame]) ? null : y[frame], title);
        const text = shown.text.replace('\u2212', '-').replace(/ \u00d7 10/, 'e').replace(/[\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]/g,
          (c) => '-0123456789'['\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079'.indexOf(c)]);
        if (Number.isNaN(y[frame])) assert.equal(text, '\u2013');
        else assert.ok(Math.abs(Number(text) - y[frame]) <= 5e-5 * Math.abs(y[frame]), `${title}: ${shown.text} for ${y[frame]}`);
      });
    }
  }],
  'poses are the data, and between frames half-way': [{}, async (page) => {
    await page.visit(address('humanoid') + '#paused');
    const poses = await page.run(`(actio.seek((${times[40]} + ${times[41]}) / 2), actio.poses())`), bodies = film.bodies.length;
    poses.forEach(({ p, q }, body) => {
      p.forEach((x, k) => {
        const [a, b] = [40, 41].map((frame) => positions[3 * (frame * bodies + body) + k]);
        assert.ok(Math.abs(x - (a + b) / 2) < 1e-6);
      });
      assert.ok(Math.abs(Math.hypot(...q) - 1) < 1e-12);
    });
  }],
  'slider, arrow keys and plots set the time': [{}, async (page) => {
    await page.visit(address('humanoid') + '#t=2&paused');
    await page.key('ArrowRight');
    assert.equal(await page.run('actio.time()'), times[121]);
    await page.key('ArrowLeft');
    await page.key('ArrowLeft');
    assert.equal(await page.run('actio.time()'), times[119]);
    const [x, y] = await centre_of(page, '#slider');
    await page.drag([x, y], [x + 3, y]);
    assert.ok(Math.abs(await page.run('actio.time()') - 5) < 0.3);
    const [begin, end, middle] = await page.run(`(() => {
      const area = document.querySelector('.area'), { left, top, height } = area.getBoundingClientRect(), { x } = player.plots.views[0];
      return [left + x.place(2), left + x.place(7), top + height / 2];
    })()`);
    await page.drag([begin, middle], [end, middle]);
    assert.ok(Math.abs(await page.run('actio.time()') - 7) < 0.05);
    const cursors = await page.run(`[...document.querySelectorAll('.cursor')].map((cursor) => cursor.getBoundingClientRect().left)`);
    for (const cursor of cursors) assert.ok(Math.abs(cursor - end) < 1.5, `cursor at ${cursor}, pointer at ${end}`);
  }],
  'dragging with shift looks at a part of the time, a double click at all': [{}, async (page) => {
    await page.visit(address('humanoid') + '#t=2&paused');
    await page.settle();
    const place = (time) => page.run(
      `document.querySelector('.area').getBoundingClientRect().left + player.plots.views[0].x.place(${time})`);
    const [from, to, [, y]] = [await place(2), await place(7), await centre_of(page, '.area')];
    await page.mouse('mousePressed', from, y, { modifiers: 8 });
    await page.mouse('mouseMoved', to, y, { modifiers: 8 });
    await page.mouse('mouseReleased', to, y, { modifiers: 8, buttons: 0 });
    const window = await page.run('player.plots.window');
    assert.ok(Math.abs(window[0] - 2) < 0.05 && Math.abs(window[1] - 7) < 0.05, String(window));
    assert.equal(await page.run('actio.time()'), 2);
    await page.run("document.querySelector('.area').dispatchEvent(new MouseEvent('dblclick'))");
    assert.deepEqual(await page.run('player.plots.window'), [0, 10]);
  }],
  'orbit, pan and zoom move the camera, reframing finds back': [{}, async (page) => {
    await page.visit(address('humanoid') + '#t=1&paused');
    const at = await centre_of(page, '#view'), beside = [at[0] + 60, at[1] + 20], first = await picture(page);
    await page.mouse('mouseWheel', ...at, { deltaX: 0, deltaY: -300, buttons: 0 });
    await page.settle();
    const near = await picture(page);
    assert.notEqual(near, first);
    await page.mouse('mousePressed', ...at, { button: 'right', buttons: 2 });
    await page.mouse('mouseMoved', ...beside, { button: 'right', buttons: 2 });
    await page.mouse('mouseReleased', ...beside, { button: 'right', buttons: 0 });
    await page.settle();
    assert.notEqual(await picture(page), near);
    await page.hover(5, 5);
    await page.key('r', 'KeyR');
    assert.equal(await picture(page), first);
    await page.drag(at, beside);
    await page.hover(5, 5);
    assert.notEqual(await picture(page), first);
    await page.key('r', 'KeyR');
    assert.equal(await picture(page), first);
  }],
  'names the body under the pointer': [{}, async (page) => {
    await page.visit(address('humanoid') + '#t=0&paused');
    await page.settle();
    const at = await page.run(`(() => {
      const { left, top, width, height } = player.parts.view.getBoundingClientRect(), M = player.camera.matrix();
      const [x, y, z] = player.film.solids.find(({ name }) => name.endsWith('chest')).model.slice(12);
      const clip = [0, 1, 3].map((k) => M[k] * x + M[4 + k] * y + M[8 + k] * z + M[12 + k]);
      return [left + width * (1 + clip[0] / clip[2]) / 2, top + height * (1 - clip[1] / clip[2]) / 2];
    })()`);
    await page.hover(...at);
    assert.match(await page.run("document.getElementById('name').textContent"), /chest/);
    await page.hover(5, 5);
    assert.equal(await page.run("document.getElementById('name').hidden"), true);
  }],
  'draws again when the browser took its drawing away': [{}, async (page) => {
    await page.visit(address('humanoid') + '#t=1&paused');
    const before = await picture(page);
    await page.run(`new Promise((done) => {
      const view = document.getElementById('view'), loss = player.view.gl.getExtension('WEBGL_lose_context');
      view.addEventListener('webglcontextlost', () => setTimeout(() => loss.restoreContext()));
      view.addEventListener('webglcontextrestored', done);
      loss.loseContext();
    })`);
    assert.equal(await picture(page), before);
    page.troubles = page.troubles.filter((trouble) => !trouble.includes('CONTEXT_LOST'));
  }],
  'dark where the system is dark': [{ dark: true }, async (page) => {
    await page.visit(address('humanoid') + '#t=3.2&paused');
    await page.settle();
    assert.equal(await page.run('getComputedStyle(document.body).backgroundColor'), 'rgb(18, 22, 29)');
    assert.ok((await page.run(coverage)).strong > 0.01);
    writeFileSync(join(folder, 'dark.png'), await page.screenshot());
  }],
  'fits a phone': [{ width: 390, height: 844, touch: true }, async (page) => {
    await page.visit(address('humanoid') + '#t=3.2&paused');
    await page.settle();
    const rights = await page.run(
      "[...document.querySelectorAll('#controls > *, .plot')].map((part) => part.getBoundingClientRect().right)");
    assert.ok(Math.max(...rights) <= 390, String(rights));
    assert.ok((await page.run(coverage)).strong > 0.01);
    writeFileSync(join(folder, 'phone.png'), await page.screenshot());
  }],
  'without WebGL says so and shows the plots': [{ webgl: false }, async (page) => {
    await page.visit(address('humanoid') + '#t=3.2&paused');
    await page.settle();
    assert.equal(await page.run('actio.drawn()'), false);
    assert.match(await page.run("document.getElementById('trouble').textContent"), /WebGL/);
    assert.equal(await page.run("document.getElementById('trouble').hidden"), false);
    const [{ series: [{ y }] }] = await page.run('actio.values()');
    assert.ok(Math.abs(y - Math.sin(3.2)) < 1e-6);
    page.troubles = page.troubles.filter((trouble) => !trouble.includes('WebGL'));
    writeFileSync(join(folder, 'no_webgl.png'), await page.screenshot());
  }],
  'texts do no harm': [{}, async (page) => {
    await page.visit(address('harmful') + '#paused');
    await page.settle();
    assert.equal(page.dialogs, 0);
    assert.deepEqual(await page.run('[document.scripts.length, document.images.length]'), [2, 0]);
    assert.match(await page.run("document.getElementById('title').textContent"), /^<\/script><script>alert/);
    assert.equal(await page.run('player.film.bodies[0]'), await page.run("document.getElementById('title').textContent"));
  }],
  'one frame without plots is a picture': [{}, async (page) => {
    await page.visit(address('still'));
    await page.settle();
    assert.deepEqual(await page.run("[actio.playing(), actio.drawn(), document.getElementById('plots').hidden]"), [false, true, true]);
    assert.ok((await page.run(coverage)).strong > 0.01);
  }],
};

process.exit(await run_tests(tests, chromium, only) ? 1 : 0);
