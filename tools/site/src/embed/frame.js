// A figure's side of what it says to the page around it, and what it may be told: see docs/embedding.md.
// It runs before the figure is painted, reads the options of the link, starts the program and stands between both.
(() => {
  const root = document.documentElement;
  const { dataset: own, nonce } = document.currentScript;
  const { figure } = root.dataset;
  const secret = /[#&?]secret=([\w-]{1,64})/.exec(location.hash)?.[1];
  let hosted = false;
  let bar;
  /** Without a bar as long as the page around gives the height that is asked for, so that none comes and goes. */
  const settle = () => {
    clearTimeout(bar);
    if (innerHeight >= height()) root.toggleAttribute('data-hosted', hosted);
    else bar = setTimeout(() => root.removeAttribute('data-hosted'), 300);
  };
  const { options, rest, query, theme, post, tell, heard, failed, height, measure, listen, bring } = around({
    root,
    nonce,
    more: {
      predict: (value) => ['off', 'optional', 'required'].includes(value),
      reveal: (value) => ['0', '1'].includes(value),
      only: (value) => own.only?.split(' ').includes(value),
    },
    longest: 2000,
    grown: (value) => {
      settle();
      if (secret) parent.postMessage({ message: 'height', value, secret }, '*');
    },
  });
  const first = rest.join('&');
  // A figure with a program of its own has keys of its own, which begin with its name. It reads them from the page.
  const owned = (query) => query.split('&').filter((pair) => pair.startsWith(`${figure}.`)).join('&');
  root.dataset.own = owned(first);
  root.dataset.predict = options.predict ?? 'optional';
  // Under which name answers are kept: several of one figure on a page are told apart by their options. What is shown without
  // having been asked is nobody's answer, so then nothing is kept.
  // The self-check and its claims are no predictions: without them nothing would be left.
  const isCheck = ['quiz', 'claims'].includes(figure);
  const shows = options.reveal === '1' || (options.predict === 'off' && !isCheck);
  root.dataset.kept = shows ? '' : [figure, options.only, options.id && `#${options.id}`].filter(Boolean).join('.');
  // Of the self-check one section alone: until its questions are marked, none is shown.
  if (options.only) root.dataset.only = options.only;

  // What the reader does, from what the program keeps of it.
  const all = (selector) => [...document.querySelectorAll(selector)];
  const asked = (place) => !options.only || place.closest('[data-quiz]')?.hasAttribute('data-in');
  const acts = (what) => all(`[data-act^="${what} "]`).filter(asked).map((button) => button.dataset.act.split(' ')[1]);
  const marks = () =>
    all('[data-question]').map(({ dataset }) => ({ item: dataset.question, mark: dataset.mark }));
  /** With these predictions, everything that is asked: what the link shows anyway is not. */
  const asks = (predictions) => [...new Set(shows ? [] : [...predictions, ...acts('quiz'), ...acts('claim')])];
  /** What can be checked. */
  const items = () => asks([...acts('check'), ...acts('check-dial')]);
  /** What can be answered: a round that is checked at once has several questions. */
  const questions = () => asks([...marks().map(({ item }) => item), ...acts('check-dial')]);
  /** Every answer that stands in the page, by its item. */
  const answers = (text) => {
    const lines = text.split('\n').map((line) => line.split(' '));
    const guesses = new Map(lines.filter(([what]) => what === 'guess').map(([, item, guess]) => [item, guess]));
    const found = new Map();
    for (const { item, mark } of marks()) {
      if (mark === 'right' || mark === 'wrong') found.set(item, { given: guesses.get(item), correct: mark === 'right' });
    }
    for (const dial of all('.dial[data-score]')) {
      const item = dial.id.slice('dial-'.length);
      const { score } = dial.dataset;
      if (score && guesses.has(item)) found.set(item, { given: guesses.get(item), correct: score === 'close', score });
    }
    for (const [what, item, verdict, ...more] of lines) {
      // Open with a slip is a first try that was wrong, and has brought a hint.
      const isHinted = verdict === 'open' && more[0] !== 'slip=';
      if (what !== 'quiz' || !(isHinted || ['right', 'wrong'].includes(verdict))) continue;
      const attempt = Number(more.find((word) => word.startsWith('asked='))?.slice(6));
      const before = told.get(item);
      // What is chosen next is no answer before it is checked.
      if (isHinted && before?.attempt === attempt) found.set(item, before);
      else found.set(item, { given: more.join(' ').split('given=')[1], correct: verdict === 'right', attempt });
    }
    return found;
  };
  /** Everything that shows its answer, by what is kept. */
  const opened = () => new Set([...kept.matchAll(/^(?:open (\S+)|quiz (\S+) (?:right|wrong) .*)$/gm)].map(([, item, question]) => item ?? question));
  let live = false;
  /** Whether the page is still to show what was answered. */
  let behind = true;
  /** What the listener has been told. */
  let told = new Map();
  let done = -1;
  let completed = false;
  let kept = '';
  const progress = () => {
    const [here, shown] = [items(), opened()];
    const [total, ready] = [here.length, here.filter((item) => shown.has(item)).length];
    // Where nothing can be answered nobody waits for it.
    const waits = !('failed' in root.dataset) && root.dataset.predict === 'required' && acts('check-dial').length > 0 && ready === 0;
    root.toggleAttribute('data-waits', waits);
    for (const place of all('.figure')) place.inert = waits;
    if (behind || !heard()) return;
    const asked = questions();
    const now = new Map([...answers(kept)].filter(([item]) => asked.includes(item)));
    for (const [item, answer] of now) {
      if (JSON.stringify(told.get(item)) !== JSON.stringify(answer)) tell('answer', { item, ...answer });
    }
    told = now;
    if (total === 0) return;
    if (ready !== done) tell('progress', { done: ready, total });
    done = ready;
    if (done === total && !completed) {
      const raw = [...now.values()].filter(({ correct }) => correct).length;
      tell('complete', { raw, max: asked.length, scaled: raw / asked.length });
    }
    completed = done === total;
  };
  /** Opens what the link shows anyway. */
  const reveal = () => {
    if (!shows) return;
    const shown = opened();
    for (const button of all('[data-act^="show"]')) if (!shown.has(button.dataset.act.split(' ')[1])) button.click();
    for (const answer of all('.solution')) answer.open = true;
  };

  // What the page around asks for.
  const ask = (name, detail) => document.dispatchEvent(new CustomEvent(`memory-wall:${name}`, { detail }));
  let state = first;
  let program = rest.filter((pair) => !owned(pair)).join('&');
  let asking = false;
  /** The state as it is, which the program tells of itself only when it rests. */
  const current = () => {
    asking = true;
    ask('ask');
    asking = false;
    return state;
  };
  const ready = () => post('ready', { title: document.title, version: own.version, height: height(), query: current() });
  const set = (asked) => {
    root.dataset.own = owned(asked);
    ask('set', asked);
  };
  const ACTS = {
    hello: () => {
      hosted = true;
      settle();
      if (live) ready();
      else if ('failed' in root.dataset) {
        post('resize', { height: height() });
        failed();
      }
      // Whoever says it is told everything, also what was answered before.
      [told, done, completed] = [new Map(), -1, false];
      progress();
    },
    set: (message) => set(message.query),
    theme: ({ value }) => theme(value),
    reset: () => {
      ask('bring', '');
      set(first);
      reveal();
    },
    getState: () => post('state', { query: current() }),
  };
  const waiting = listen(ACTS, () => live);

  const write = () => {
    state = [program, root.dataset.own].filter(Boolean).join('&');
    if (asking) return;
    tell('state', { query: state });
    try {
      const now = query(state);
      history.replaceState(null, '', `${location.pathname}${now ? '?' : ''}${now}${location.hash}`);
    } catch {
      // Frames without an origin of their own keep their address.
    }
  };
  document.addEventListener('memory-wall:state', ({ detail }) => {
    program = detail;
    write();
  });
  document.addEventListener('memory-wall:own', ({ detail }) => {
    root.dataset.own = detail;
    write();
  });
  document.addEventListener('memory-wall:progress', ({ detail }) => {
    kept = detail;
    behind = true;
    progress();
  });
  // What became of an answer is read off the page, which has shown it by now.
  document.addEventListener('memory-wall:rest', () => {
    if (!behind) return;
    behind = false;
    progress();
  });
  document.addEventListener('memory-wall:notices', ({ detail }) => post('error', { code: 'query', about: detail }));

  // Answers come when the reader begins to answer, or opens one; if they cannot be had, the next try asks again.
  if (own.answers) {
    const SOON = 400;
    const LATE = 15_000;
    const after = (wait) => new Promise((then) => setTimeout(then, wait));
    const isThere = () => 'answered' in root.dataset;
    let asked = false;
    /** Says under each answer that is open why nothing stands there. */
    const tellWhy = (why = '') => {
      for (const place of all('.missing')) place.remove();
      if (!why) return;
      for (const [at, place] of all('.solution[open], [data-state="hint"] .hints').entries()) {
        const line = Object.assign(document.createElement('p'), { className: 'missing', textContent: why });
        // Said once, however many are open.
        if (at === 0) line.role = 'status';
        place.append(line);
      }
    };
    const fetched = async () => {
      after(SOON).then(() => asked && !isThere() && tellWhy(own.coming));
      await Promise.race([bring(own.answers), after(LATE)]).catch(() => {});
      // Also what came may be something else: a network that asks to be logged in to answers everything.
      asked = false;
      tellWhy(isThere() ? '' : own.missing);
    };
    const answer = ({ target }) => {
      if (isThere() || !target.closest?.('[data-quiz]')) return;
      if (asked) {
        if (document.querySelector('.missing')) tellWhy(own.coming);
        return;
      }
      asked = true;
      tellWhy();
      fetched();
    };
    for (const event of ['pointerdown', 'focusin', 'toggle']) document.addEventListener(event, answer, true);
  }

  // Who goes on to the tutorial or to the planner finds there what stands here.
  for (const event of ['pointerdown', 'focusin']) {
    document.addEventListener(event, ({ target }) => {
      const link = target.closest?.('a:is([href*="index.html"], [href*="plan.html"])');
      if (!link || !live) return;
      const url = new URL(link.href);
      url.search = (url.pathname.endsWith('plan.html') ? 'from=tutorial&' : '') + current();
      link.href = url;
    });
  }

  // The program: as a module, or where a frame has no origin and so may fetch nothing, as one plain script.
  const load = async () => {
    if (origin === 'null') {
      await bring(own.plain);
      return window.memoryWall;
    }
    const preload = Object.assign(document.createElement('link'), { rel: 'modulepreload', href: own.glue, crossOrigin: 'anonymous', integrity: own.glueIntegrity });
    document.head.append(preload);
    const program = fetch(own.program, { integrity: own.programIntegrity });
    // Whether it came is asked where it is started.
    program.catch(() => {});
    // Nothing of a figure starts before all that it needs is there.
    const digests = own.farIntegrity?.split(' ');
    const far = own.far ? own.far.split(' ').map((file, nth) => fetch(file, { integrity: digests[nth] })) : [];
    for (const part of far) part.catch(() => {});
    const glue = await import(new URL(own.glue, location.href));
    if ('far' in own) root.dataset.far = far.length ? 'now' : '';
    return async () => {
      await glue.default({ module_or_path: program });
      if (far.length) await glue.far(...far);
    };
  };
  const begun = load();
  const whole = new Promise((then) => addEventListener('DOMContentLoaded', then)).then(() => {
    // Where the program looks for its words, as data.
    const words = Object.assign(document.createElement('script'), { type: 'text/plain', id: 'words', textContent: window.memoryWallWords });
    document.body.append(words);
    if (options.only) for (const question of all(`[data-quiz^="${options.only}."]`)) question.dataset.in = '';
  });
  const alive = new Promise((then) => document.addEventListener('memory-wall:live', then));
  Promise.all([begun, whole])
    .then(([start]) => start())
    .then(() => alive)
    .then(
      () => {
        live = true;
        reveal();
        measure();
        ready();
        for (const message of waiting.splice(0)) ACTS[message.type](message);
        progress();
      },
      async () => {
        // It may fail before there is anything to measure.
        await whole;
        root.dataset.failed = '';
        progress();
        measure();
        failed();
        for (const message of waiting.splice(0)) if (message.type === 'getState') ACTS.getState();
      },
    );
  whole.then(() => {
    new ResizeObserver(measure).observe(document.body);
    document.addEventListener('visibilitychange', measure);
    addEventListener('resize', settle);
  });
})();
