// Keeps one whole version of the page, so that it opens without a network. The list is made from the built files.
// Not kept:
{{aside}}

const BUILD = '{{build}}';
/** Every file that is kept, with the SHA-256 of its content. */
const FILES = [
{{files}}
];

/** Those that are kept from the first time on that a reader asks for them. */
const ASKED = new Map([
{{asked}}
]);

const { href: HOME, origin: ORIGIN, pathname: FOLDER } = new URL(registration.scope);
/** Several copies may live on one host, and share its caches with whatever else is there: each has its own by its folder. */
const OWN = `memory-wall ${FOLDER} `;
const KEPT = OWN + BUILD;
const KNOWN = new Set(FILES.map(([path]) => path));

/** Where a version keeps its turn. No page asks for it. */
const TURN = `${HOME}?turn`;

/** The caches of this copy. */
const own = async () => (await caches.keys()).filter((name) => name.startsWith(OWN));

/** Those of its other versions. */
const others = async () => (await own()).filter((name) => name !== KEPT);

/** When a version was taken into use, counted from one: the order of arrival is another. Nothing for one that only arrived. */
async function turn(name) {
  const answer = await caches.match(TURN, { cacheName: name });
  return answer && Number(await answer.text());
}

/** The answer with all its bytes if they are those that this version was built with, whatever status a host gives to a page such as
 * 404.html; without what the host says about how they came. */
async function whole(answer, hash) {
  if (!answer) return undefined;
  const bytes = await answer.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  if (btoa(String.fromCharCode(...digest)) !== hash) return undefined;
  const headers = new Headers(answer.headers);
  for (const name of ['content-encoding', 'content-length', 'vary']) headers.delete(name);
  return new Response(bytes, { headers });
}

/** Keeps one file: from an older version or the browser's own cache where it has not changed, or else from the network. */
async function keep(cache, path, hash, names) {
  const url = new URL(path, HOME).href;
  if (await cache.match(url)) return;
  const older = names.map((cacheName) => () => caches.match(url, { cacheName }));
  const asked = ['default', 'reload'].map((cache) => () => fetch(url, { cache }).catch(() => undefined));
  for (const source of [...older, ...asked]) {
    const answer = await whole(await source(), hash);
    if (answer) return cache.put(url, answer);
  }
  throw new Error(`${url} is not the file that this version was built with`);
}

/** Figures by themselves and the planner's program come once the pages are kept: nobody waits for them, and what unpacks them is there. */
const isLater = ([path]) => /^embed\/|^planner-.*\.(wasm|js)$/.test(path);

/** How many files are fetched at once: more would keep both processors of a small machine from its reader. */
const LINES = 3;

/** All of some files or an error. What has come stays for the next try. */
async function bring(files) {
  const [cache, names] = [await caches.open(KEPT), await others()];
  const left = files.values();
  const line = async () => {
    for (const [path, hash] of left) await keep(cache, path, hash, names);
  };
  const lines = await Promise.allSettled(Array.from({ length: LINES }, line));
  const failed = lines.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

/** What every page needs. Where there is no room for it, what has come makes room again; what is in use is never touched. */
async function install() {
  try {
    await bring(FILES.filter((file) => !isLater(file)));
  } catch (error) {
    if (error.name === 'QuotaExceededError') await caches.delete(KEPT);
    throw error;
  }
}

/** The version that was in use before stays beside this one: a page of it may just be loading. The rest goes. */
async function tidy() {
  const rest = await others();
  const turns = await Promise.all(rest.map(turn));
  const last = Math.max(0, ...turns.filter(Boolean));
  await (await caches.open(KEPT)).put(TURN, new Response(last + 1));
  // What was never in use may belong to a newer version that is on its way.
  const isOnItsWay = Boolean(registration.installing ?? registration.waiting);
  const gone = rest.filter((_, at) => (turns[at] ? turns[at] < last : !isOnItsWay));
  await Promise.all(gone.map((name) => caches.delete(name)));
}

/** A file of this version, or else of the version before, or else of the network, as it was asked for. */
async function kept(file, request = file) {
  for (const name of [KEPT, ...(await own())]) {
    const answer = await caches.match(file, { cacheName: name });
    if (answer) return answer;
  }
  return fetch(request);
}

/** A file that few readers need: fetched and kept when it is asked for. */
async function asked(path, hash, request) {
  await keep(await caches.open(KEPT), path, hash, await others()).catch(() => {});
  const answer = kept(new URL(path, HOME), request);
  return request.destination === 'document' ? answer.catch(lost) : answer;
}

/** What is said where a page is nowhere to be had. */
const lost = () => kept(new URL('404.html', HOME));

// Nothing of a version is used before all of it is there.
addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(tidy()));

addEventListener('message', (event) => {
  if (event.data === 'use') skipWaiting();
  else if (event.data === 'rest') event.waitUntil(bring(FILES.filter(isLater)).catch(() => {}));
  else event.ports[0]?.postMessage(BUILD);
});

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== ORIGIN || !pathname.startsWith(FOLDER)) return;
  const path = pathname.slice(FOLDER.length).replace(/(^|\/)$/, '$1index.html');
  // Some hosts show pages without their ending.
  const file = [path, `${path}.html`].find((file) => KNOWN.has(file) || ASKED.has(file));
  if (KNOWN.has(file)) event.respondWith(kept(new URL(file, HOME)));
  else if (file) event.respondWith(asked(file, ASKED.get(file), request));
  else if (request.destination === 'document') event.respondWith(fetch(request).catch(lost));
  else if (request.mode !== 'navigate') event.respondWith(kept(request));
});
