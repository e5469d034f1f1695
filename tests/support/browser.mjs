// SPDX-License-Identifier: BSD-3-Clause
// Chromium without a window, controlled through a pipe; only Node and the browser are needed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const message_of = ({ exception, text }) => exception?.description ?? text;

/** A page of its own browser: `send` a command of the DevTools protocol, `run` an expression, and read what went wrong. */
export class Page {
  static async open(chromium, { width = 1280, height = 800, dark = false, touch = false, webgl = true } = {}) {
    const page = new Page();
    page.profile = mkdtempSync(join(tmpdir(), 'actio-browser-'));
    const quiet = ['--no-first-run', '--disable-background-networking', '--disable-sync', '--disable-component-update', '--disable-quic'];
    const drawing = webgl ? ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'] : ['--disable-gpu', '--disable-3d-apis'];
    page.browser = spawn(chromium,
      ['--headless', '--no-sandbox', '--remote-debugging-pipe', `--user-data-dir=${page.profile}`, ...quiet, ...drawing, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    page.ended = new Promise((resolve) => page.browser.on('exit', resolve));
    page.ended.then(() => page.waiting.forEach(({ reject }) => reject(new Error('the browser has ended'))));
    page.browser.stdio[4].setEncoding('utf8').on('data', (text) => page.receive(text));
    const { targetInfos } = await page.send('Target.getTargets');
    const { targetId } = targetInfos.find(({ type }) => type === 'page');
    page.session = (await page.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(`${domain}.enable`);
    await page.send('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 });
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: touch ? 2 : 1, mobile: touch });
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    return page;
  }
  waiting = new Map();
  text = '';
  sent = 0;
  troubles = [];  ///< errors and warnings of the console, exceptions
  requests = [];  ///< requested addresses
  dialogs = 0;

  receive(text) {
    const messages = (this.text + text).split('\0');
    this.text = messages.pop();
    for (const { id, error, result, method, params } of messages.map((message) => JSON.parse(message))) {
      if (id !== undefined) {
        const { resolve, reject } = this.waiting.get(id);
        this.waiting.delete(id);
        if (error) reject(new Error(error.message));
        else resolve(result);
      } else if (method === 'Runtime.exceptionThrown') this.troubles.push(message_of(params.exceptionDetails));
      else if (method === 'Runtime.consoleAPICalled') this.troubles.push(params.args.map(({ value }) => value).join(' '));
      else if (method === 'Log.entryAdded') this.troubles.push(params.entry.text);
      else if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
      else if (method === 'Page.javascriptDialogOpening') {
        this.dialogs++;
        this.send('Page.handleJavaScriptDialog', { accept: true });
      } else if (method === 'Page.loadEventFired') this.loaded?.();
    }
  }
  send(method, params = {}) {
    const id = ++this.sent;
    this.browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
  async visit(url) {
    const loaded = new Promise((resolve) => { this.loaded = resolve; });
    await this.send('Page.navigate', { url });
    await loaded;
  }
  /** The value of an expression in the page, awaited. */
  async run(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(message_of(exceptionDetails));
    return result.value;
  }
  /** Two pictures later all that was asked for is drawn. */
  settle() { return this.run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'); }
  async screenshot() { return Buffer.from((await this.send('Page.captureScreenshot')).data, 'base64'); }
  mouse(type, x, y, more = {}) { 
    return this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: 1, clickCount: 1, ...more });
  }
  /** The mouse without a button. */
  async hover(x, y) {
    await this.mouse('mouseMoved', x, y, { button: 'none', buttons: 0 });
    await this.settle();
  }
  async drag(from, to) {
    await this.mouse('mousePressed', ...from);
    await this.mouse('mouseMoved', ...to);
    await this.mouse('mouseReleased', ...to, { buttons: 0 });
    await this.settle();
  }
  async key(key, code = key) {
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, text: key.length === 1 ? key : undefined });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code });
    await this.settle();
  }
  /** Lets the page save files into a folder. */
  save_into(folder) { return this.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder }); }
  async close() {
    await this.send('Browser.close').catch(() => {});
    await this.ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs tests { name: [screen, test] }, each with a page of its own, those whose names contain `only`. @returns the number that failed. */
export async function run_tests(tests, chromium, only = '') {
  let failed = 0;
  for (const [name, [screen, test]] of Object.entries(tests)) {
    if (!name.includes(only)) continue;
    const page = await Page.open(chromium, screen);
    try {
      await test(page);
      assert.deepEqual(page.troubles, []);
      assert.ok(page.requests.every((url) => /^(file|blob):/.test(url)), String(page.requests));
      console.log(`passed: ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED: ${name}\n${error.stack}`);
    } finally {
      await page.close();
    }
  }
  return failed;
}
