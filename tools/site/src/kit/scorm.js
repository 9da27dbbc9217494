// What `launch.js` tells a platform by SCORM 1.2 or SCORM 2004: it looks for the platform's API in the pages around and in those that
// opened them.
(() => {
  'use strict';
  const DONE = 'true';
  /** The names of both versions. */
  const OLD = {
    name: 'API',
    calls: ['LMSInitialize', 'LMSGetValue', 'LMSSetValue', 'LMSCommit', 'LMSFinish'],
    mode: 'cmi.core.lesson_mode',
    mastery: ['cmi.student_data.mastery_score', 1],
    place: 'cmi.core.lesson_location',
    exit: 'cmi.core.exit',
    time: 'cmi.core.session_time',
    score: 'cmi.core.score',
    room: 4096,
  };
  const NEW = {
    name: 'API_1484_11',
    calls: ['Initialize', 'GetValue', 'SetValue', 'Commit', 'Terminate'],
    mode: 'cmi.mode',
    mastery: ['cmi.scaled_passing_score', 100],
    place: 'cmi.location',
    exit: 'cmi.exit',
    time: 'cmi.session_time',
    score: 'cmi.score',
    room: 64000,
  };
  const isOld = document.body.dataset.standard === 'scorm12';
  const names = isOld ? OLD : NEW;

  // More pages around than this are a circle.
  const DEEPEST = 500;
  const around = (start) => {
    let page = start;
    for (let deep = 0; deep < DEEPEST && page; deep += 1) {
      try {
        if (page[names.name]) return page[names.name];
      } catch {
        // A page of another origin; one of ours may be around it.
      }
      if (page.parent === page) return undefined;
      page = page.parent;
    }
    return undefined;
  };
  const api = () => around(window) ?? (top.opener ? around(top.opener) : undefined) ?? (window.opener ? around(window.opener) : undefined);

  const two = (number) => String(number).padStart(2, '0');
  const parts = (seconds) => [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  /** How long something took, as each version writes it. */
  const span = (seconds) => {
    const [hours, minutes, rest] = parts(seconds);
    return isOld ? `${String(hours).padStart(4, '0')}:${two(minutes)}:${two(rest)}` : `PT${hours}H${minutes}M${rest}S`;
  };
  const moment = () => {
    const now = new Date();
    return isOld ? [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':') : `${now.toISOString().slice(0, 19)}Z`;
  };

  /** An option as a name: the old version has one letter for each. */
  const option = (name, { options }) => (options ? (isOld ? String.fromCharCode(97 + options.indexOf(name)) : name) : name);
  /** An answer as each version writes it. */
  const written = (item, text) => {
    switch (item.kind) {
      case 'true-false':
        return isOld ? text[0] : text;
      case 'choice':
      case 'sequencing': {
        const chosen = text.split(' ').filter((name) => name && name !== '-').map((name) => option(name, item));
        // What is chosen stands in the order of the page.
        if (item.kind === 'choice') chosen.sort();
        return chosen.join(isOld ? ',' : '[,]');
      }
      default:
        return text.slice(0, 250);
    }
  };

  globalThis.memoryWallPlatform = () => {
    const platform = api();
    if (!platform) return undefined;
    const [initialize, get, set, commit, finish] = names.calls.map((call) => (...values) => String(platform[call](...values)));
    if (initialize('') !== DONE) return undefined;
    const start = Date.now();
    const isOver = get(names.mode) === 'review';
    const [element, scale] = names.mastery;
    const asked = get(element);
    let isRefused = false;
    const put = (name, value) => {
      if (set(name, String(value)) !== DONE) isRefused = true;
    };
    let isClosed = false;
    // Who has passed has passed. What else stands there may be a platform's own verdict on a visit that was not the last.
    let hasPassed = get(isOld ? 'cmi.core.lesson_status' : 'cmi.success_status') === 'passed';
    return {
      isOver,
      kept: get('cmi.suspend_data'),
      room: names.room,
      mastery: asked === '' || Number.isNaN(Number(asked)) ? undefined : Number(asked) * scale,
      answer(item, { given, right, isRight }) {
        const at = `cmi.interactions.${get('cmi.interactions._count') || 0}`;
        put(`${at}.id`, item.id);
        put(`${at}.type`, item.kind);
        put(isOld ? `${at}.time` : `${at}.timestamp`, moment());
        put(`${at}.correct_responses.0.pattern`, written(item, right));
        if (given !== undefined) put(isOld ? `${at}.student_response` : `${at}.learner_response`, written(item, given));
        // What was opened without an answer is neither right nor wrong.
        put(`${at}.result`, given === undefined ? 'neutral' : isRight ? 'correct' : isOld ? 'wrong' : 'incorrect');
        if (!isOld && item.ask) put(`${at}.description`, item.ask.slice(0, 250));
      },
      result({ total, right, done, isComplete, isPassed }) {
        const hasVerdict = isPassed || (isComplete && total > 0);
        hasPassed ||= isPassed;
        const verdict = hasPassed ? 'passed' : hasVerdict ? 'failed' : '';
        if (total > 0) {
          put(`${names.score}.min`, 0);
          put(`${names.score}.max`, 100);
          put(`${names.score}.raw`, Number(((100 * right) / total).toFixed(2)));
        }
        if (isOld) {
          put('cmi.core.lesson_status', verdict || (isComplete ? 'completed' : 'incomplete'));
        } else {
          if (total > 0) put('cmi.progress_measure', Number((done / total).toFixed(4)));
          put('cmi.completion_status', isComplete ? 'completed' : 'incomplete');
          // The platform compares the scaled score with what is needed, so it is told once there is a verdict.
          if (hasVerdict) {
            put('cmi.score.scaled', Number((right / total).toFixed(4)));
            put('cmi.success_status', verdict);
          }
        }
      },
      keep(text, place) {
        put('cmi.suspend_data', text);
        put(names.place, place);
        // Also where the page is not left in order.
        put(names.exit, 'suspend');
        const isKept = commit('') === DONE && !isRefused;
        isRefused = false;
        return isKept;
      },
      close() {
        if (isClosed) return;
        isClosed = true;
        put(names.exit, 'suspend');
        put(names.time, span(Math.round((Date.now() - start) / 1000)));
        commit('');
        finish('');
      },
    };
  };
})();
