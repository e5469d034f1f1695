// SPDX-License-Identifier: BSD-3-Clause
// film_check.mjs PAGE CSV GLB: the page's curves of energy and joints equal the columns of the CSV file; the GLB
// file passes Khronos's validator, if installed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [page, csv, glb] = process.argv.slice(2);

const film = JSON.parse(readFileSync(page, 'utf8').match(/<script type="application\/json" id="film">(.*?)<\/script>/s)[1]);
const bytes = (base64) => Uint8Array.from(Buffer.from(base64, 'base64')).buffer;
const numbers = ({ float, double }) => (float === undefined ? new Float64Array(bytes(double)) : new Float32Array(bytes(float)));
const curve = (title, name) => {
  const { x, ...y } = film.plots.find((plot) => plot.title === title).series.find((series) => series.name === name);
  const times = new Float64Array(bytes(film.x[x])), values = numbers(y);
  return new Map([...times].map((time, k) => [time.toFixed(9), values[k]]));
};

const [names, ...rows] = readFileSync(csv, 'utf8').trim().split('\n').map((line) => line.split(','));
const column = (name) => new Map(rows.map((row) => [Number(row[names.indexOf('time')]).toFixed(9), Number(row[names.indexOf(name)])]));
// Joints whose q is a vector follow the seven numbers of a free base, if there is one; other models with joints of other kinds are
// left out.
const joints = film.plots.filter(({ title }) => title.startsWith('Joint'))
  .flatMap(({ title, series }) => series.map(({ name }) => [title, name]));
const nq = Math.ceil((names.length - 4) / 2), first = 1 + nq - joints.length;
const has_turns_only = film.plots.every(({ title }) => !title.startsWith('Joint translations'));
const columns = has_turns_only && [1, 8].includes(first) ? joints.map(([title, name], k) => [title, name, names[first + k]]) : [];
if (film.title.startsWith('humanoid,')) assert.equal(columns.length, 28, 'the page does not plot all joints');
for (const [title, name, columnName] of [['Energy', 'kinetic', 'kinetic'], ['Energy', 'total', 'energy'], ...columns]) {
  const shown = curve(title, name), written = column(columnName);
  const size = Math.max(...[...written.values()].map(Math.abs));
  let compared = 0;
  for (const [time, value] of written) {
    if (!shown.has(time)) continue;
    assert.ok(Math.abs(shown.get(time) - value) <= 1e-6 * size,
      `${name} at ${time} s: ${shown.get(time)} on the page, ${value} in the file`);
    ++compared;
  }
  assert.ok(compared > 3, `${name}: ${compared} times in common`);
}

let validator;
try {
  const installed = execFileSync('npm', ['root', '--global'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  validator = createRequire(join(installed, 'x.js'))('gltf-validator');
} catch {
  console.log('gltf-validator is not installed: the GLB file is not validated');
}
if (validator) {
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(glb)));
  assert.equal(issues.numErrors + issues.numWarnings, 0, JSON.stringify(issues.messages));
}
