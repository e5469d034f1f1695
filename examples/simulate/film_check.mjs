// SPDX-License-Identifier: BSD-3-Clause
// film_check.mjs PAGE CSV GLB: the page's curves equal the columns of the CSV file; the GLB file passes Khronos's validator, if installed.
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
for (const [name, columnName] of [['kinetic', 'kinetic'], ['total', 'energy']]) {
  const shown = curve('Energy', name), written = column(columnName);
  const size = Math.max(...[...written.values()].map(Math.abs));
  let compared = 0;
  for (const [time, value] of written) {
    if (!shown.has(time)) continue;
    assert.ok(Math.abs(shown.get(time) - value) <= 1e-6 * size, `${name} at ${time} s: ${shown.get(time)} on the page, ${value} in the file`);
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
