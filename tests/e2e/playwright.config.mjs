import { defineConfig } from '@playwright/test';
import { launchOptions } from './browser.mjs';

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.mjs',
  outputDir: 'results/tests',
  fullyParallel: true,
  workers: 2,
  // A test that needs a second try has failed.
  retries: 0,
  timeout: 45_000,
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  expect: { timeout: 5_000 },
  use: {
    actionTimeout: 8_000,
    browserName: 'chromium',
    launchOptions,
    locale: 'en-GB',
    viewport: { width: 1280, height: 900 },
    colorScheme: 'light',
    // Without transitions a measured bar is a finished bar; motion.spec.mjs looks at the transitions themselves.
    contextOptions: { reducedMotion: 'reduce' },
  },
});
