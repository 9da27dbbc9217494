// What `launch.js` tells a platform by cmi5: statements of xAPI, sent to the record store that the platform names in the link.
(() => {
  'use strict';
  const VERBS = 'http://adlnet.gov/expapi/verbs/';
  const CONTEXT = 'https://w3id.org/xapi/cmi5/context/';
  const CMI5 = { id: `${CONTEXT}categories/cmi5` };
  const MOVE_ON = { id: `${CONTEXT}categories/moveon` };
  const MASTERY = `${CONTEXT}extensions/masteryscore`;
  const QUESTION = 'http://adlnet.gov/expapi/activities/cmi.interaction';
  const OWN = 'memory-wall';
  /** How near a number has to be, as `launch.js` has it. */
  const CLOSE = 1.25;

  /** A random name; browsers make one by themselves in secure pages only. */
  const uuid = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  };

  /** An answer as the standard writes it. */
  const written = ({ kind }, text) => {
    if (kind !== 'choice' && kind !== 'sequencing') return text;
    const chosen = text.split(' ').filter((name) => name && name !== '-');
    // What is chosen stands in the order of the page.
    if (kind === 'choice') chosen.sort();
    return chosen.join('[,]');
  };
  const pattern = (item, right) => (item.kind === 'numeric' ? `${right / CLOSE}[:]${right * CLOSE}` : written(item, right));

  const asked = () => {
    const query = new URLSearchParams(location.search);
    const [endpoint, fetch, registration, activity] = ['endpoint', 'fetch', 'registration', 'activityId'].map((name) => query.get(name));
    try {
      const actor = JSON.parse(query.get('actor'));
      const isWhole = [endpoint, fetch].every((link) => /^https?:/.test(link)) && registration && activity && actor;
      return isWhole ? { endpoint: endpoint.replace(/\/?$/, '/'), fetch, registration, activity, actor } : undefined;
    } catch {
      return undefined;
    }
  };

  globalThis.memoryWallPlatform = async () => {
    const launch = asked();
    if (!launch) return undefined;
    const { endpoint, registration, activity, actor } = launch;
    const start = Date.now();
    // A token is given once: a page that is loaded again is a visit that the platform knows nothing of.
    const token = await fetch(launch.fetch, { method: 'POST' }).then((answer) => answer.json()).then((answer) => answer['auth-token'], () => undefined);
    if (!token) return undefined;
    const headers = { Authorization: `Basic ${token}`, 'X-Experience-API-Version': '1.0.3', 'Content-Type': 'application/json' };
    const call = (path, query, options = {}) => fetch(`${endpoint}${path}?${new URLSearchParams(query)}`, { headers, ...options });
    const of = { activityId: activity, agent: JSON.stringify(actor), registration };
    const json = (answer) => (answer.ok ? answer.json() : undefined);
    const state = (stateId) => call('activities/state', { ...of, stateId }).then(json, () => undefined);
    const data = await state('LMS.LaunchData');
    if (!data) return undefined;
    // The standard has it asked for; it holds a language and a choice on sound, and neither changes anything here.
    await call('agents/profile', { agent: of.agent, profileId: 'cmi5LearnerPreferences' }).catch(() => {});
    const kept = (await state(OWN)) ?? {};
    const { contextTemplate = {}, launchMode, masteryScore, returnURL } = data;
    const isNormal = launchMode === 'Normal';

    const since = () => `PT${((Date.now() - start) / 1000).toFixed(2)}S`;
    /** A statement; those that the standard defines say so by their categories. */
    const statement = (verb, categories, { result, object, extensions }) => {
      const { contextActivities = {}, extensions: more, ...context } = structuredClone(contextTemplate);
      const activities = { ...contextActivities, category: [...(contextActivities.category ?? []), ...categories] };
      if (categories.length === 0 && !contextActivities.category) delete activities.category;
      if (object) activities.parent = [...(contextActivities.parent ?? []), { id: activity }];
      return {
        id: uuid(),
        actor,
        verb: { id: `${VERBS}${verb}`, display: { en: verb } },
        object: { objectType: 'Activity', ...(object ?? { id: activity }) },
        ...(result && { result }),
        context: { ...context, registration, contextActivities: activities, extensions: { ...more, ...extensions } },
        timestamp: new Date().toISOString(),
      };
    };

    // One after the other, so that they arrive in their order. What did not arrive goes with what comes next.
    let waiting = [];
    let turn = Promise.resolve(true);
    const post = (statements, options) => call('statements', {}, { method: 'POST', body: JSON.stringify(statements), ...options });
    const deliver = () => {
      turn = turn.then(async () => {
        const now = [...waiting];
        if (now.length === 0) return true;
        const isTaken = await post(now).then(({ ok }) => ok, () => false);
        if (isTaken) waiting = waiting.filter((one) => !now.includes(one));
        return isTaken;
      });
      return turn;
    };
    const say = (...what) => {
      waiting.push(statement(...what));
      return deliver();
    };
    say('initialized', [CMI5], {});

    let isClosed = false;
    const close = () => {
      if (isClosed) return;
      isClosed = true;
      const last = statement('terminated', [CMI5], { result: { duration: since() } });
      // Also where the page is gone before it has arrived.
      post([...waiting, last], { keepalive: true }).catch(() => {});
    };
    // Who only looks has no record, but came and went.
    addEventListener('pagehide', close);

    /** What was said of the whole: each of it is said once. */
    const said = { completed: Boolean(kept.completed), passed: Boolean(kept.passed), failed: false };
    return {
      isOver: !isNormal,
      kept: String(kept.text ?? ''),
      room: 1_000_000,
      mastery: typeof masteryScore === 'number' ? masteryScore * 100 : undefined,
      home: /^https?:/.test(returnURL ?? '') ? returnURL : undefined,
      answer(item, { given, right, isRight }) {
        const language = document.documentElement.lang;
        const definition = { type: QUESTION, interactionType: item.kind, correctResponsesPattern: [pattern(item, right)] };
        if (item.ask) definition.description = { [language]: item.ask };
        if (item.kind === 'choice' || item.kind === 'sequencing') {
          const names = new Set([...written(item, right).split('[,]'), ...(given === undefined ? [] : written(item, given).split('[,]'))]);
          definition.choices = (item.options ?? [...names].filter(Boolean)).map((id) => ({ id }));
        }
        const object = { id: `${activity}/${item.id}`, definition };
        // What was opened without an answer is neither right nor wrong.
        const result = given === undefined ? { completion: true } : { success: Boolean(isRight), response: written(item, given) };
        say('answered', [], { object, result });
      },
      result({ total, right, isComplete, isPassed }) {
        const done = (verb, result, more = {}) => {
          said[verb] = true;
          say(verb, [CMI5, MOVE_ON], { result: { ...result, duration: since() }, ...more });
        };
        const score = total > 0 ? { scaled: right / total, raw: right, min: 0, max: total } : undefined;
        const extensions = typeof masteryScore === 'number' ? { [MASTERY]: masteryScore } : {};
        if (isComplete && !said.completed) done('completed', { completion: true });
        if (total === 0 || said.passed) return;
        if (isPassed) done('passed', { success: true, score }, { extensions });
        else if (isComplete && !said.failed) done('failed', { success: false, score }, { extensions });
      },
      async keep(text, place) {
        const { completed, passed } = said;
        const body = JSON.stringify({ text, place, completed, passed });
        const isKept = await call('activities/state', { ...of, stateId: OWN }, { method: 'PUT', body }).then(({ ok }) => ok, () => false);
        return (await deliver()) && isKept;
      },
      close,
    };
  };
})();
