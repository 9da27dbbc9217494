// A small record store for cmi5, as strict as the standard where the client can go wrong: a token is given once and asked for in
// every call, and nothing comes after the end of a visit. It lies on another origin than the page, as record stores do.

import { createServer } from 'node:http';

/** What stands in every statement of a visit. */
const SESSION = 'https://w3id.org/xapi/cmi5/context/extensions/sessionid';
export const CMI5 = 'https://w3id.org/xapi/cmi5/context/categories/cmi5';
export const MOVE_ON = 'https://w3id.org/xapi/cmi5/context/categories/moveon';

const body = async (request) => {
  let text = '';
  for await (const piece of request) text += piece;
  return text;
};

/** Starts a store with one course for one learner. `visit` says the query that a platform opens a unit with. */
export async function store({ mastery, mode = 'Normal', activity = 'https://lms.example/units/1' } = {}) {
  const actor = { objectType: 'Agent', account: { homePage: 'https://lms.example', name: 'learner-1' } };
  const registration = '8f87ccc9-4e3a-4b5f-9f3c-2f0e2e7b1c11';
  const documents = new Map();
  const statements = [];
  const faults = [];
  const tokens = new Map();
  let visits = 0;
  let current;

  const launchData = () => ({
    contextTemplate: {
      contextActivities: { grouping: [{ id: 'urn:uuid:publisher' }] },
      extensions: { [SESSION]: current },
    },
    launchMode: mode,
    launchMethod: 'AnyWindow',
    moveOn: mastery === undefined ? 'Completed' : 'Passed',
    ...(mastery !== undefined && { masteryScore: mastery }),
    returnURL: 'https://lms.example/course',
  });

  const takes = (statement) => {
    const { id, verb, context, timestamp } = statement;
    const said = statements.filter((one) => one.context.extensions[SESSION] === current).map((one) => one.verb.id.split('/').at(-1));
    const name = verb.id.split('/').at(-1);
    if (!/^[0-9a-f-]{36}$/.test(id) || Number.isNaN(Date.parse(timestamp))) faults.push(`${name} has no name or no time`);
    if (statements.some((one) => one.id === id)) return;
    if (context?.registration !== registration || context.extensions?.[SESSION] !== current) faults.push(`${name} is of no visit`);
    if (JSON.stringify(statement.actor) !== JSON.stringify(actor)) faults.push(`${name} is somebody else's`);
    if ((said.length === 0) !== (name === 'initialized')) faults.push(`${name} after ${said.length} others`);
    if (said.includes('terminated')) faults.push(`${name} after the end`);
    for (const once of ['passed', 'completed']) {
      if (name === once && statements.some((one) => one.verb.id === verb.id)) faults.push(`${name} twice`);
    }
    statements.push(statement);
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*, Authorization, Content-Type, X-Experience-API-Version', 'Access-Control-Allow-Methods': 'GET, PUT, POST' };
    const answer = (status, value) => response.writeHead(status, { ...cors, 'Content-Type': 'application/json' }).end(value === undefined ? '' : JSON.stringify(value));
    if (request.method === 'OPTIONS') return answer(204);
    if (pathname === '/token') {
      const of = searchParams.get('of');
      if (request.method !== 'POST' || tokens.has(of)) return answer(200, { 'error-code': '1', 'error-text': 'given already' });
      tokens.set(of, `token-${of}`);
      current = `session-${of}`;
      return answer(200, { 'auth-token': tokens.get(of) });
    }
    const token = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (![...tokens.values()].includes(token) || !request.headers['x-experience-api-version']?.startsWith('1.0')) {
      faults.push(`${pathname} without a token`);
      return answer(401);
    }
    const text = await body(request);
    if (pathname === '/xapi/activities/state') {
      const name = searchParams.get('stateId');
      if (searchParams.get('activityId') !== activity || searchParams.get('registration') !== registration || JSON.stringify(JSON.parse(searchParams.get('agent'))) !== JSON.stringify(actor)) faults.push(`${name} of something else`);
      if (name === 'LMS.LaunchData') return answer(200, launchData());
      if (request.method === 'GET') return documents.has(name) ? answer(200, JSON.parse(documents.get(name))) : answer(404);
      documents.set(name, text);
      return answer(204);
    }
    if (pathname === '/xapi/agents/profile') return answer(404);
    if (pathname === '/xapi/statements') {
      for (const statement of [JSON.parse(text)].flat()) takes(statement);
      return request.method === 'PUT' ? answer(204) : answer(200, []);
    }
    return answer(404);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    statements,
    faults,
    documents,
    verbs: () => statements.map(({ verb }) => verb.id.split('/').at(-1)),
    visit: () => {
      visits += 1;
      const query = { endpoint: `${origin}/xapi`, fetch: `${origin}/token?of=${visits}`, actor: JSON.stringify(actor), registration, activityId: activity };
      return `?${new URLSearchParams(query)}`;
    },
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}
