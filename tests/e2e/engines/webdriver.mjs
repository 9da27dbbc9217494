// What a reader does in an engine, by way of Selenium.

import { Builder, By, Capabilities, Key } from 'selenium-webdriver';
import { findFreePort } from 'selenium-webdriver/net/portprober.js';
import { DriverService } from 'selenium-webdriver/remote/index.js';

/** How long a driver, and a browser that it starts, may take to answer. */
const PATIENCE = 20_000;

export class WebDriver {
  /** Starts a driver and through it a browser with these capabilities, on a screen of its own if it is given one. */
  static async start(program, capabilities, screen) {
    const port = await findFreePort();
    const service = new DriverService(program, { loopback: true, port, args: [`--port=${port}`], env: { ...process.env, ...screen?.env } });
    const session = new WebDriver(service, screen);
    try {
      const builder = new Builder().disableEnvironmentOverrides().usingServer(await service.start(PATIENCE));
      session.browser = await builder.withCapabilities(new Capabilities(capabilities)).build();
      await session.browser.manage().setTimeouts({ script: 10_000, pageLoad: PATIENCE, implicit: 0 });
      return session;
    } catch (error) {
      await session.end();
      throw new Error(`${program} starts no browser: ${error.message}`, { cause: error });
    }
  }

  constructor(service, screen) {
    this.service = service;
    this.screen = screen;
  }

  open(url) {
    return this.browser.get(url);
  }

  /** Calls a function in the page, or in the frame that is looked at; a promise is waited for. */
  run(work, ...args) {
    return this.browser.executeScript(work, ...args);
  }

  /** An element in the middle of the window: where drivers bring it by themselves, the bar of the page can lie over it. */
  async reach(css) {
    const element = await this.browser.findElement(By.css(css));
    await this.run((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }), element);
    return element;
  }

  /** Clicks where a reader would; the driver refuses when something lies over it. */
  async click(css) {
    await (await this.reach(css)).click();
  }

  /** Empties a field and types into it. It is clicked first, since in a frame of another origin WebKit gives nothing the focus unasked. */
  async type(css, text) {
    const field = await this.reach(css);
    await field.click();
    await field.clear();
    await field.sendKeys(text);
  }

  /** Presses a key on an element. */
  async press(css, key) {
    const KEYS = { ArrowLeft: Key.ARROW_LEFT, ArrowRight: Key.ARROW_RIGHT };
    await (await this.reach(css)).sendKeys(KEYS[key]);
  }

  /** Looks into a frame; `undefined` looks at the whole page again. */
  async frame(css) {
    const target = this.browser.switchTo();
    await (css ? target.frame(this.browser.findElement(By.css(css))) : target.defaultContent());
  }

  /** A window whose page is so large. */
  async size(width, height) {
    await this.frame();
    const window = this.browser.manage().window();
    await window.setRect({ width, height });
    const inner = await this.run(() => [innerWidth, innerHeight]);
    await window.setRect({ width: 2 * width - inner[0], height: 2 * height - inner[1] });
  }

  async end() {
    await this.browser?.quit().catch(() => undefined);
    await this.service.kill();
    await this.screen?.end();
  }
}
