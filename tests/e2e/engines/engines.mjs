// The engines that the page is tried in, each by its own driver. What is installed is used; nothing is fetched.

import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { launchOptions } from '../browser.mjs';
import { WebDriver } from './webdriver.mjs';

/** The file that a variable names or, without one, the first of these programs on the search path. */
function program(variable, ...names) {
  const named = process.env[variable];
  if (named) return named;
  // What the set-up compiles lies with the project's own tools.
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), join(import.meta.dirname, '../../../.tools/bin')];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A screen that nobody looks at, for engines that need one: on that of whoever runs the tests their windows would jump about. */
async function screen(xvfb) {
  const child = spawn(xvfb, ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  // It ends with this process at the latest.
  process.once('exit', end);
  let said = '';
  child.stderr.on('data', (bytes) => (said = `${said}${bytes}`.slice(-2_000)));
  const number = await new Promise((resolve, reject) => {
    child.stdio[3].once('data', (bytes) => resolve(String(bytes).trim()));
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${xvfb} shows nothing: ${said}`)));
  });
  return { env: { DISPLAY: `:${number}`, GDK_BACKEND: 'x11' }, end };
}

/** Each by its name: what it lacks, in words, or how it is started. */
const ENGINES = {
  Chromium() {
    const driver = program('CHROMEDRIVER_PATH', 'chromedriver');
    if (!driver) return { lacks: 'chromedriver not found' };
    const { executablePath: binary, args } = launchOptions;
    // As Playwright starts it; some systems allow a sandbox to packaged browsers alone.
    return { start: () => WebDriver.start(driver, { browserName: 'chrome', 'goog:chromeOptions': { binary, args: ['--headless', '--no-sandbox', ...args] } }) };
  },
  Firefox() {
    const driver = program('GECKODRIVER_PATH', 'geckodriver');
    const binary = program('FIREFOX_PATH', 'firefox', 'firefox-esr');
    if (!binary) return { lacks: 'firefox not found' };
    if (!driver) return { lacks: 'geckodriver not found' };
    return { start: () => WebDriver.start(driver, { browserName: 'firefox', 'moz:firefoxOptions': { binary, args: ['-headless'] } }) };
  },
  WebKit() {
    const driver = program('WEBKIT_DRIVER_PATH', 'WebKitWebDriver');
    if (!driver) return { lacks: 'WebKitWebDriver not found' };
    const xvfb = program('XVFB_PATH', 'Xvfb');
    const hasScreen = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
    if (!xvfb && !hasScreen) return { lacks: 'no screen, and Xvfb not found' };
    return { start: async () => WebDriver.start(driver, { browserName: 'MiniBrowser' }, xvfb && (await screen(xvfb))) };
  },
};

/** The names of all engines. */
export const NAMES = Object.keys(ENGINES);

/** An engine by its name: `skipped` says in a sentence why it cannot be tried here; else `start` starts it. */
export function engine(name) {
  const { lacks, start } = ENGINES[name]();
  return { start, skipped: lacks && `skipped: ${name} is not installed (${lacks})` };
}
