// What the pages for frames share, figures and the planner: the options of the link, the messages from and to the page around, the scripts
// that a page brings. It stands in front of the script of each, see docs/embedding.md.
const around = ({ root, nonce, more, longest, grown }) => {
  const { figure } = root.dataset;
  const framed = parent !== window;

  // The link: options are the script's, everything else is the program's.
  const OPTIONS = {
    theme: (value) => ['auto', 'light', 'dark'].includes(value),
    lang: (value) => value === root.lang,
    ui: (value) => ['full', 'min'].includes(value),
    id: (value) => /^[\w.:-]{1,64}$/.test(value),
    ...more,
  };
  const options = {};
  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const rest = location.search.slice(1).split('&').filter((pair) => {
    const [key, value = ''] = pair.split('=').map(decoded);
    const taken = Object.hasOwn(OPTIONS, key) && !Object.hasOwn(options, key) && OPTIONS[key](value);
    if (taken) options[key] = value;
    return pair && !taken;
  });
  root.dataset.query = rest.join('&');
  const theme = (value) => {
    if (value === 'auto') delete root.dataset.theme;
    else root.dataset.theme = value;
    document.dispatchEvent(new CustomEvent('memory-wall:theme'));
  };
  theme(options.theme ?? 'auto');
  root.dataset.ui = options.ui ?? 'full';
  /** The query that a state and the options of the link make together. */
  const query = (state) => [state, ...Object.entries(options).map((pair) => pair.join('='))].filter(Boolean).join('&');

  // Messages out. What a reader does is told only to a page that has said hello.
  let count = 0;
  let listener;
  const heard = () => Boolean(listener);
  const post = (type, data) => {
    if (!framed) return;
    count += 1;
    const message = { mw: 1, type, figure, n: count, ...data };
    if (options.id) message.id = options.id;
    parent.postMessage(message, listener ?? '*');
  };
  const tell = (type, data) => listener && post(type, data);
  const failed = () => post('error', { code: 'program', about: '' });

  // Heights, in every form that hosts are known to listen for.
  let last = 0;
  const height = () => last;
  const measure = () => {
    const now = Math.ceil(document.body.getBoundingClientRect().height);
    // A hidden frame has no width; and a few pixels less are no reason to move what stands below.
    if (!framed || innerWidth === 0 || now === 0 || (now <= last && now > last - 8)) return;
    last = now;
    post('resize', { height: now });
    const lti = { subject: 'lti.frameResize', height: now };
    for (const message of [lti, JSON.stringify(lti), { type: 'embed-size', height: now }]) parent.postMessage(message, '*');
    grown?.(now);
  };

  // Messages in: from the page around alone, and each only in its own shape.
  const SHAPES = {
    hello: () => true,
    set: ({ query }) => typeof query === 'string' && query.length <= longest,
    theme: ({ value }) => OPTIONS.theme(value),
    reset: () => true,
    getState: () => true,
  };
  /** Does what is asked for as soon as that can be done; what has to wait is returned as a list that grows. */
  const listen = (acts, isLive) => {
    const waiting = [];
    addEventListener('message', ({ source, origin, data }) => {
      if (source !== parent || !framed) return;
      if (data === null || typeof data !== 'object' || data.mw !== 1) return;
      const { type } = data;
      if (typeof type !== 'string' || !Object.hasOwn(SHAPES, type) || !SHAPES[type](data)) {
        post('error', { code: 'message', about: String(typeof type === 'string' ? type : typeof type).slice(0, 40) });
        return;
      }
      if (type === 'hello') listener = origin === 'null' || origin === '' ? '*' : origin;
      // What comes before the program is there is for it all the same.
      if (isLive() || type === 'hello' || type === 'theme' || (type === 'getState' && 'failed' in root.dataset)) acts[type](data);
      else waiting.push(data);
    });
    return waiting;
  };

  /** Brings a script that is part of this page. */
  const bring = (src) =>
    new Promise((loaded, refused) => {
      const script = Object.assign(document.createElement('script'), { src, nonce, onload: loaded });
      script.onerror = () => {
        script.remove();
        refused(new Error(src));
      };
      document.head.append(script);
    });

  return { options, rest, query, theme, post, tell, heard, failed, height, measure, listen, bring };
};
