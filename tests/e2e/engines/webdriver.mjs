// As much of WebDriver (https://www.w3.org/TR/webdriver2/) as the tests in other engines need: a driver, a session, what a reader does in it.

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** How the protocol marks an element in JSON. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** How long a driver, and a browser that it starts, may take to answer. */
const PATIENCE = 20_000;

async function freePort() {
  const server = createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A program that ends with this process at the latest; what it complained about is kept for messages. */
export function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const started = { child, said: '', failed: undefined };
  const keep = (bytes) => (started.said = `${started.said}${bytes}`.slice(-2_000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.once('error', (error) => (started.failed = error.message));
  child.once('exit', (code, signal) => (started.failed ??= `it ended with ${signal ?? code}`));
  const end = () => child.kill();
  process.once('exit', end);
  started.end = async () => {
    process.off('exit', end);
    if (child.exitCode !== null || child.signalCode !== null || started.failed) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await gone;
  };
  return started;
}

export class WebDriver {
  /** Starts a driver and through it a browser with these capabilities, on a screen of its own if it is given one. */
  static async start(program, capabilities, screen) {
    const port = await freePort();
    const driver = start(program, [`--port=${port}`], { env: { ...process.env, ...screen?.env } });
    const session = new WebDriver(`http://127.0.0.1:${port}`, driver, screen);
    try {
      const begin = performance.now();
      while (!(await session.send('GET', '/status').catch(() => undefined))?.ready) {
        if (driver.failed) throw new Error(driver.failed);
        if (performance.now() - begin > PATIENCE) throw new Error('it does not answer');
        await wait(50);
      }
      const { sessionId } = await session.send('POST', '/session', { capabilities: { alwaysMatch: capabilities } });
      session.path = `/session/${sessionId}`;
      await session.send('POST', '/timeouts', { script: 10_000, pageLoad: PATIENCE, implicit: 0 });
      return session;
    } catch (error) {
      await session.end();
      throw new Error(`${program} starts no browser: ${error.message}\n${driver.said}`);
    }
  }

  constructor(address, driver, screen) {
    this.address = address;
    this.driver = driver;
    this.screen = screen;
    this.path = '';
  }

  /** One command; an error with the driver's words when it fails. */
  async send(method, path, body) {
    const answer = await fetch(`${this.address}${this.path}${path}`, {
      method,
      body: method === 'POST' ? JSON.stringify(body ?? {}) : undefined,
      headers: { 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(2 * PATIENCE),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`WebDriver, ${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }

  open(url) {
    return this.send('POST', '/url', { url });
  }

  /** Calls a function in the page, or in the frame that is looked at; a promise is waited for. */
  run(work, ...args) {
    return this.send('POST', '/execute/sync', { script: `return (${work}).apply(null, arguments)`, args });
  }

  async find(css) {
    const found = await this.send('POST', '/element', { using: 'css selector', value: css });
    return found[ELEMENT];
  }

  /** An element in the middle of the window: where drivers bring it by themselves, the bar of the page can lie over it. */
  async reach(css) {
    const element = await this.find(css);
    await this.run((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }), { [ELEMENT]: element });
    return element;
  }

  /** Clicks where a reader would; the driver refuses when something lies over it. */
  async click(css) {
    return this.send('POST', `/element/${await this.reach(css)}/click`);
  }

  /** Empties a field and types into it. It is clicked first, since in a frame of another origin WebKit gives nothing the focus unasked. */
  async type(css, text) {
    const field = await this.reach(css);
    await this.send('POST', `/element/${field}/click`);
    await this.send('POST', `/element/${field}/clear`);
    await this.send('POST', `/element/${field}/value`, { text });
  }

  /** Presses a key on an element. */
  async press(css, key) {
    const CODES = { ArrowLeft: '\ue012', ArrowRight: '\ue014' };
    return this.send('POST', `/element/${await this.reach(css)}/value`, { text: CODES[key] });
  }

  /** Looks into a frame; `undefined` looks at the whole page again. */
  async frame(css) {
    return this.send('POST', '/frame', { id: css ? { [ELEMENT]: await this.find(css) } : null });
  }

  /** A window whose page is so large. */
  async size(width, height) {
    await this.frame();
    await this.send('POST', '/window/rect', { width, height });
    const inner = await this.run(() => [innerWidth, innerHeight]);
    await this.send('POST', '/window/rect', { width: 2 * width - inner[0], height: 2 * height - inner[1] });
  }

  async end() {
    if (this.path) await this.send('DELETE', '').catch(() => undefined);
    await this.driver.end();
    await this.screen?.end();
  }
}
