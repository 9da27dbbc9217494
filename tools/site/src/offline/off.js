// Takes the place of a worker that is no longer wanted: it forgets what was kept and leaves. Open pages stay as they are.

const OWN = `memory-wall ${new URL(registration.scope).pathname} `;

async function leave() {
  const names = (await caches.keys()).filter((name) => name.startsWith(OWN));
  await Promise.all(names.map((name) => caches.delete(name)));
  await registration.unregister();
}

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(leave()));
