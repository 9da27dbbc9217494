// How Chromium is started, by the tests, the bench and the screenshots alike.

/** Nothing but the page: no update, no sync, no greeting, no graphics card, also on machines without a network. */
const args = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
// Chromium's sandbox does not start for root, as in most containers.
if (process.getuid?.() === 0) args.push('--no-sandbox');

export const launchOptions = { executablePath: process.env.CHROMIUM_PATH || undefined, args };
