// The tests in other engines: Playwright's runner and its expectations, but browsers as they are installed, by their own drivers.

import { defineConfig } from '@playwright/test';
import { engine, NAMES } from './engines.mjs';

export default defineConfig({
  testDir: '.',
  testMatch: 'smoke.mjs',
  outputDir: '../results/engines',
  globalSetup: './missing.mjs',
  workers: NAMES.length,
  retries: 0,
  timeout: 60_000,
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  expect: { timeout: 20_000 },
  projects: NAMES.map((name) => ({ name, use: { engine: name }, grep: engine(name).skipped ? /$^/ : undefined })),
});
