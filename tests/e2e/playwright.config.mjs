import { defineConfig } from '@playwright/test';
import { launchOptions } from './browser.mjs';
import { ONE_FILE } from './server.mjs';

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.mjs',
  outputDir: 'results/tests',
  fullyParallel: true,
  workers: 2,
  // A test that needs a second try has failed.
  retries: 0,
  // A slow machine that has other work takes its time; what is broken fails all the same.
  timeout: 120_000,
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  expect: { timeout: 10_000 },
  use: {
    actionTimeout: 15_000,
    browserName: 'chromium',
    launchOptions,
    locale: 'en-GB',
    viewport: { width: 1280, height: 900 },
    colorScheme: 'light',
    // The worker has tests of its own: offline.spec.mjs and update.spec.mjs.
    serviceWorkers: 'block',
    // Without transitions a measured bar is a finished bar; motion.spec.mjs looks at the transitions themselves.
    contextOptions: { reducedMotion: 'reduce' },
  },
  projects: [
    { name: 'page' },
    // The page in one file, from a disk: what it promises is what the page promises.
    {
      name: 'one file',
      testMatch: ['exercise.spec.mjs', 'hostile.spec.mjs', 'keyboard.spec.mjs'],
      // What a query does is the same program in both, and narrow or wide the same page.
      grepInvert: /thirty random|ten thousand random|at 360 px/,
      use: { home: ONE_FILE },
    },
  ],
});
