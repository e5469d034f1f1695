// SPDX-License-Identifier: BSD-3-Clause
// html_access.mjs HTML_FILM CHROMIUM FOLDER [PART_OF_A_NAME]: pages of to_html on screens of many sizes, by keyboard and for screen
// readers; what they say of a run; camera sides, axes, pictures and videos. Pictures stay in the folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run_tests } from '../support/browser.mjs';

const [program, chromium, folder, only = ''] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync(program, [folder]);
const address = (name) => pathToFileURL(resolve(folder, `${name}.html`)).href;
const open = async (page, name, hash = '#t=3.2&paused') => {
  await page.visit(address(name) + hash);
  await page.settle();
};
const text_of = (page, id) => page.run(`((part) => (part.checkVisibility() ? part.innerText.trim() : null))(player.parts.${id})`);
const label_of = (page, id) => page.run(`document.getElementById('${id}').getAttribute('aria-label')`);
const camera = (page) => page.run('({ ...player.camera })');

// What is wrong with the layout: texts and controls that overlap, stick out of the window or are cut off.
const layout_troubles = `(() => {
  const name = (part) => part.id || part.className || part.localName, troubles = [], round = (x) => Math.round(x);
  const parts = [...document.querySelectorAll('#scene p, #scene h1, #controls button, #controls select, #controls input, #time, #space')]
    .filter((part) => part.id !== 'name' && part.checkVisibility() && !(part.localName === 'p' && part.innerText === ''));
  const box = new Map(parts.map((part) => [part, part.getBoundingClientRect()]));
  for (const [part, { left, right, top, bottom }] of box) {
    const is_inside = left > -0.5 && right < innerWidth + 0.5 && top > -0.5 && bottom < innerHeight + 0.5;
    if (!is_inside) troubles.push(name(part) + ' is outside of the window');
    for (const [other, area] of box) {
      if (part === other || part.contains(other) || other.contains(part)) continue;
      const wide = Math.min(right, area.right) - Math.max(left, area.left);
      const high = Math.min(bottom, area.bottom) - Math.max(top, area.top);
      if (wide > 1 && high > 1) troubles.push(name(part) + ' overlaps ' + name(other) + ' by ' + round(wide) + ' x ' + round(high));
    }
  }
  for (const part of document.querySelectorAll(
    'h1, #about, #failure, #foot, #controls > div, .legend, .legend :is(li, span), figcaption')) {
    const cut = name(part) + ' "' + part.textContent + '" is cut off ';
    if (part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0) troubles.push(cut + 'on the right');
    if (part.scrollHeight > part.clientHeight + 1 && part.clientHeight > 0) troubles.push(cut + 'below');
  }
  for (const part of [document.documentElement, document.body, document.getElementById('plots')]) {
    if (part.scrollWidth > part.clientWidth) troubles.push(name(part) + ' scrolls sideways');
  }
  const { height } = document.getElementById('view').getBoundingClientRect();
  if (height < 120) troubles.push('the view is only ' + round(height) + ' pixels high');
  return troubles;
})()`;

// Contrast of what is drawn in the text colour of each part against what is behind it, 1 to 21.                    [WCAG 2.2, 1.4.3]
const contrasts = (selector) => `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = (colour) => numbers(colour).slice(0, 3).map((c) => linear(c / 255))
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (part) => {
    const colour = getComputedStyle(part).backgroundColor;
    return numbers(colour)[3] === 0 ? behind(part.parentElement) : colour;
  };
  return [...document.querySelectorAll('${selector}')].filter((part) => part.checkVisibility()).map((part) => {
    const [a, b] = [light(getComputedStyle(part).color), light(behind(part))].sort((p, q) => q - p);
    return { name: part.id || part.textContent, contrast: (a + 0.05) / (b + 0.05) };
  });
})()`;

// Waits until a saved file is complete.
async function saved(name) {
  const path = join(resolve(folder), name);
  for (let k = 0; k < 100 && !existsSync(path); k++) await new Promise((done) => setTimeout(done, 100));
  return readFileSync(path);
}

const tests = {};
for (const size of ['320x568', '390x844', '844x390', '900x500', '1000x600', '1024x768', '1920x1080']) {
  const [width, height] = size.split('x').map(Number);
  for (const name of ['humanoid', 'failed']) {
    tests[`nothing overlaps, is cut off or scrolls sideways at ${size}: ${name}`] = [{ width, height }, async (page) => {
      await open(page, name, '#t=3.2&paused&axes');
      writeFileSync(join(folder, `${name}_${size}.png`), await page.screenshot());
      assert.deepEqual(await page.run(layout_troubles), []);
      await page.run("document.getElementById('view').focus({ focusVisible: true })");
      await page.settle();
      assert.deepEqual(await page.run(layout_troubles), []);
    }];
  }
}
Object.assign(tests, {
  'only a message of the page is a live region, and it says nothing while the film plays': [{}, async (page) => {
    await open(page, 'humanoid', '#t=1');
    const live = "[...document.querySelectorAll('output, [aria-live], [role=status], [role=alert], [role=log], [role=timer]')]";
    assert.deepEqual(await page.run(live + '.map(({ id }) => id)'), ['message']);
    const before = await page.run('actio.time()');
    await page.settle();
    await page.settle();
    assert.ok(await page.run('actio.time()') > before);
    assert.equal(await page.run("document.getElementById('message').textContent"), '');
  }],
  'the tree of a screen reader has names and roles': [{}, async (page) => {
    await open(page, 'humanoid');
    const { nodes } = await page.send('Accessibility.getFullAXTree');
    const all = nodes.filter(({ ignored }) => !ignored).map(({ role, name }) => [role?.value, name?.value ?? '']);
    for (const [role, name] of all) {
      const needs_name = ['button', 'slider', 'combobox', 'group', 'region', 'application', 'heading'].includes(role);
      assert.ok(name !== '' || !needs_name, `a ${role} has no name`);
    }
    const names = (role) => all.filter(([its]) => its === role).map(([, name]) => name);
    assert.deepEqual(names('application'), ['Motion in three dimensions: humanoids']);
    assert.ok(names('heading').includes('sin(1 t)'));
    const is_told = (name) => /^sin\(1 t\): sin\(1 t\) over time\. one from \u2212[\d.]+ to [\d.]+ J$/.test(name);
    assert.ok(names('image').some(is_told), String(names('image')));
    assert.deepEqual(names('region'), ['Plots']);
  }],
  'the play button says what it does': [{}, async (page) => {
    await open(page, 'humanoid');
    assert.equal(await label_of(page, 'play'), 'Play');
    await page.key(' ', 'Space');
    assert.equal(await label_of(page, 'play'), 'Pause');
    await page.key(' ', 'Space');
    assert.equal(await label_of(page, 'play'), 'Play');
  }],
  'the space bar presses the button that has the focus, and plays after a click': [{}, async (page) => {
    await open(page, 'humanoid');
    await page.run("document.getElementById('loop').focus()");
    await page.key(' ', 'Space');
    assert.deepEqual(await page.run('[player.loop, actio.playing()]'), [false, false]);
    const [x, y] = await page.run("(({ left, top }) => [left + 9, top + 9])(document.getElementById('loop').getBoundingClientRect())");
    await page.drag([x, y], [x, y]);
    await page.key(' ', 'Space');
    assert.deepEqual(await page.run('[player.loop, actio.playing()]'), [true, true]);
  }],
  'Home and End go to the first and the last frame': [{}, async (page) => {
    await open(page, 'humanoid', '#t=3.2');
    await page.key('End');
    assert.deepEqual(await page.run('[actio.time(), actio.playing()]'), [10, false]);
    await page.key('Home');
    assert.equal(await page.run('actio.time()'), 0);
    await page.run("document.getElementById('slider').focus()");
    await page.key('End');
    assert.equal(await page.run('actio.time()'), 10);
    assert.equal(await page.run("document.getElementById('slider').getAttribute('aria-valuetext')"), '10.00 s of 10.00 s');
  }],
  'keys orbit, pan, zoom and reset the view that has the focus': [{}, async (page) => {
    await open(page, 'humanoid');
    assert.equal(await page.run("document.getElementById('view').tabIndex"), 0);
    const first = await camera(page), time = await page.run('actio.time()');
    await page.run("document.getElementById('view').focus()");
    await page.key('ArrowLeft');
    await page.key('ArrowUp');
    const turned = await camera(page);
    assert.ok(Math.abs(turned.azimuth - first.azimuth - Math.PI / 36) < 1e-9 && turned.elevation < first.elevation);
    assert.equal(await page.run("document.getElementById('side').value"), 'free');
    await page.key('+', 'Equal');
    assert.ok((await camera(page)).distance < turned.distance);
    await page.key('-', 'Minus');
    assert.ok(Math.abs((await camera(page)).distance - turned.distance) < 1e-9);
    await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'ArrowRight', code: 'ArrowRight', modifiers: 8 });
    await page.settle();
    assert.notDeepEqual((await camera(page)).target, turned.target);
    assert.equal(await page.run('actio.time()'), time);
    await page.key('r', 'KeyR');
    assert.deepEqual(await camera(page), first);
    await page.run("document.getElementById('view').blur()");
    await page.key('ArrowRight');
    assert.ok(await page.run('actio.time()') > time);
  }],
  'the camera looks from the front, the side and the top': [{}, async (page) => {
    await open(page, 'humanoid', '#t=3.2&paused&view=front');
    const back = () => page.run('player.camera.axes()[2]');
    const front = [1, 0, 0];
    for (const [key, side, axis] of [['', 'front', front], ['2', 'side', [0, -1, 0]], ['3', 'top', [0, 0, 1]], ['1', 'front', front]]) {
      if (key) await page.key(key, 'Digit' + key);
      assert.ok((await back()).every((x, k) => Math.abs(x - axis[k]) < 1e-12), `${side}: ${await back()}`);
      assert.equal(await page.run("document.getElementById('side').value"), side);
      writeFileSync(join(folder, `${side}.png`), await page.screenshot());
    }
    await page.run("(({ side }) => { side.value = 'top'; side.dispatchEvent(new Event('change')); })(player.parts)");
    assert.ok((await back())[2] === 1);
  }],
  'icons and texts can be told from what is behind them, in light and dark': [{}, async (page) => {
    await open(page, 'failed');
    await page.run('player.loop = false, player.draw()');
    for (const scheme of ['light', 'dark']) {
      await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
      await page.settle();
      const found = await page.run(contrasts('#controls :is(button:not(:disabled), select, span), .legend span, #failure b, h2'));
      assert.ok(found.length > 12);
      for (const { name, contrast } of found) assert.ok(contrast >= 4.5, `${scheme}: ${name} has a contrast of ${contrast.toFixed(2)}`);
    }
  }],
  'a failed run says so, any other does not': [{}, async (page) => {
    await open(page, 'failed');
    assert.match(await text_of(page, 'failure'), /^The run failed\. variational failed at t = 0\.2 s, in step 201, at body 'box': /);
    assert.match(await page.run('document.title'), /^Failed: A box/);
    await open(page, 'humanoid');
    assert.equal(await text_of(page, 'failure'), null);
    assert.equal(await page.run('document.title'), 'humanoids');
  }],
  'solids that do not touch the ground are hatched': [{}, async (page) => {
    await open(page, 'failed', '#t=0&paused&view=front');
    assert.equal(await text_of(page, 'marks'), 'does not touch the ground');
    assert.deepEqual(await page.run('player.film.solids.filter(({ marked }) => marked).map(({ name }) => name)'), ['limb']);
    const hatched = await page.run('actio.picture()');
    await page.run('player.film.solids.forEach((solid) => { solid.marked = false; })');
    assert.notEqual(await page.run('actio.picture()'), hatched);
    await open(page, 'still');
    assert.equal(await text_of(page, 'marks'), null);
  }],
  'axes of bodies are drawn on demand': [{}, async (page) => {
    await open(page, 'humanoid');
    const without = await page.run('actio.picture()');
    assert.equal(await text_of(page, 'colours'), null);
    await page.key('a', 'KeyA');
    assert.notEqual(await page.run('actio.picture()'), without);
    assert.equal(await text_of(page, 'colours'), 'axes: x red, y green, z blue');
    assert.equal(await page.run("document.getElementById('axes').getAttribute('aria-pressed')"), 'true');
    await page.key('a', 'KeyA');
    assert.equal(await page.run('actio.picture()'), without);
  }],
  'forces of contacts are drawn, unless they are not wanted': [{}, async (page) => {
    await open(page, 'failed', '#t=0.1&paused');
    assert.deepEqual(await page.run('actio.forces()'), [{ p: [0.5, 1, -1.1], f: [0, 0, 30] }, { p: [-0.5, 1, -1.1], f: [3, 0, -4] }]
      .map(({ p, f }) => ({ p: p.map(Math.fround), f })));
    assert.equal(await text_of(page, 'newtons'), 'contact forces: 20 N as long as the grid');
    const drawn = await page.run('actio.picture()');
    writeFileSync(join(folder, 'forces.png'), await page.screenshot());
    await page.key('c', 'KeyC');
    assert.notEqual(await page.run('actio.picture()'), drawn);
    assert.equal(await text_of(page, 'newtons'), null);
    assert.equal(await page.run("document.getElementById('forces').getAttribute('aria-pressed')"), 'false');
    await page.run('actio.seek(0)');
    assert.deepEqual(await page.run('actio.forces()'), []);
    await open(page, 'humanoid');
    assert.equal(await page.run("document.getElementById('forces').hidden"), true);
  }],
  'saves a picture': [{}, async (page) => {
    await page.save_into(resolve(folder));
    await open(page, 'humanoid');
    await page.run("document.getElementById('picture').click()");
    const png = await saved('humanoids_3.20s.png');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    const [width, height] = await page.run('[player.parts.view.width, player.parts.view.height]');
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [width, height]);
    assert.equal(await text_of(page, 'message'), 'Saved humanoids_3.20s.png');
  }],
  'records a video from the beginning to the end, and loops again': [{ width: 640, height: 480 }, async (page) => {
    await page.save_into(resolve(folder));
    await open(page, 'failed', '#t=0.1&paused&speed=0.25');
    await page.run("document.getElementById('video').click()");
    await page.settle();
    assert.equal(await label_of(page, 'video'), 'Stop recording and save the video');
    const webm = await saved('A_box_with_a_long_name_above_a_floor_variational_step_0.001_s.webm');
    assert.equal(webm.readUInt32BE(0), 0x1a45dfa3);
    assert.ok(webm.length > 2000, `${webm.length} B`);
    await page.settle();
    assert.deepEqual(await page.run('[actio.time(), actio.playing(), player.loop]'), [0.2, false, true]);
    assert.equal(await label_of(page, 'video'), 'Record a video');
    assert.match(await text_of(page, 'message'), /^Saved A_box.*webm$/);
  }],
  'says so where a browser cannot record videos': [{}, async (page) => {
    await open(page, 'humanoid');
    await page.run("delete window.MediaRecorder, document.getElementById('video').click()");
    assert.equal(await text_of(page, 'message'), 'This browser cannot record videos: it has no MediaRecorder.');
    assert.equal(await page.run('actio.playing()'), false);
  }],
});

process.exit(await run_tests(tests, chromium, only) ? 1 : 0);
