/**
 * A whole team, set up by the example for administrators, with curl alone. Then every member walks every route by curl,
 * and may do exactly what stands here: a table written by hand from the specification, not from the contract.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { Permission } from '../../daemon/contract/permission.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

const script = join(import.meta.dir, '../../docs/examples/team.sh');
const passwords = {
  ...{ Admin: adminPassword, anna: 'anna-is-the-boss', otto: 'otto_operates!', vera: 'vera~views' },
  ...{ dora: 'dora#devices', emil: 'emil$engineers' },
};
type Member = Exclude<keyof typeof passwords, 'Admin'>;

/** What each may by the specification, section 6, with what that takes along. */
const may: Readonly<Record<Member, readonly Permission[] | 'everything'>> = {
  anna: 'everything',
  otto: ['channelControl', 'channelView', 'ioView'],
  vera: ['firmwareView', 'deviceView', 'groupView', 'ioView', 'channelView', 'systemView', 'ndiView'],
  dora: ['deviceAdvanced', 'deviceControl', 'deviceView', 'firmwareManage', 'firmwareView', 'groupView'],
  emil: [
    ...(['channelEdit', 'channelControl', 'channelView', 'ioEdit', 'ioView'] as const),
    ...(['systemEdit', 'systemView', 'ndiEdit', 'ndiView'] as const),
  ],
};

type Need = Permission | 'anybody' | 'whoever is signed in' | 'administrators';
const routes: Readonly<Record<Need, readonly string[]>> = {
  anybody: ['POST login', 'GET logout', 'POST logout', 'GET setup', 'POST setup', 'GET health'],
  'whoever is signed in': [
    ...['GET session', 'GET session/list', 'POST session/end', 'POST usr/update', 'GET openapi.json', 'GET events'],
    ...['GET system/status', 'GET system/history', 'GET token/list', 'POST token/add', 'POST token/del'],
  ],
  administrators: ['GET log/list', 'GET log/export', 'GET syslog/list', 'GET syslog/export'],
  userControl: [
    ...['GET usr/list', 'POST usr/add', 'POST usr/set', 'POST usr/del'],
    ...['POST usr-group/add', 'POST usr-group/set', 'POST usr-group/del'],
  ],
  channelView: [
    ...['GET channel/dashboard', 'GET channel/query', 'GET channel/quality', 'GET channel/log', 'GET channel/events'],
    ...['GET channel/slate/get', 'GET alarm/list', 'GET alarm/rules'],
    ...['GET preview/open', 'POST preview/setup', 'GET preview/clear', 'GET preview/live/{id}/{file}'],
  ],
  channelControl: [
    ...['POST channel/enable', 'POST channel/output/enable'],
    ...['POST channel/input/switch', 'POST channel/client/disconnect'],
  ],
  channelEdit: [
    ...['POST channel/add', 'POST channel/set', 'POST channel/del', 'POST channel/input/set'],
    ...['POST channel/output/add', 'POST channel/output/del', 'POST channel/slate/set', 'POST channel/slate/del'],
    ...['POST alarm/rules/set', 'POST alarm/clear-history'],
  ],
  ioView: ['GET input/source/list', 'GET output/list', 'GET server/list', 'GET preset/list'],
  ioEdit: [
    ...['POST input/source/add', 'POST input/source/set', 'POST input/source/del', 'POST input/source/test'],
    ...['POST output/add', 'POST output/set', 'POST output/del', 'POST server/output/add'],
    ...['POST server/add', 'POST server/set', 'POST server/del'],
    ...['POST preset/save', 'POST preset/use', 'POST preset/del'],
  ],
  systemView: ['GET settings/get', 'GET alarm/webhook', 'GET metrics'],
  systemEdit: ['POST settings/set', 'POST alarm/webhook/set', 'POST alarm/webhook/test'],
  ...{ firmwareView: [], firmwareManage: [], deviceView: [], deviceControl: [], deviceAdvanced: [] },
  ...{ deviceSecurity: [], groupView: [], groupControl: [], ndiView: [], ndiEdit: [] },
};
const needs = Object.keys(routes) as Need[];
/** It would end the walk. */
const leaves = ['GET logout', 'POST logout'];

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router' } });
});
afterAll(() => hub.stop());

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(command: readonly string[], input: string): Promise<Ended> {
  const child = Bun.spawn([...command], {
    ...{ stdin: Buffer.from(input), stdout: 'pipe', stderr: 'pipe', timeout: 50_000 },
    env: { PATH: process.env.PATH ?? '', SIGNALBOX_URL: hub.url },
  });
  const [out, err, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  return { code, out, err };
}

const textOf = (stream: ReadableStream) => new Response(stream).text();
const lines = (of: Record<string, string>) => Object.entries(of).map(([name, password]) => `${name} ${password}\n`);
const team = (verb: 'up' | 'down', given: Record<string, string> = passwords) =>
  run([script, verb], lines(given).join(''));

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  /** Only its head is asked for: some of them never end. */
  readonly isPlain?: boolean;
}

/** What curl got, one after another: the JSON of an answer, or the status of one that is none. */
async function curl(asked: readonly Asked[], session = ''): Promise<Record<string, unknown>[]> {
  const quoted = (text: string) => JSON.stringify(text);
  const requests = asked.map(({ method, path, body, isPlain = false }) =>
    [
      `url = ${quoted(`${hub.url}/${path}`)}`,
      // As from another machine: the figures are open to this one.
      ...['header = "x-forwarded-for: 192.0.2.7"', `header = ${quoted(`cookie: mwcloud-sid=${session}`)}`],
      ...['silent', 'max-time = 20', 'write-out = "\\n%{http_code}\\n"'],
      ...(isPlain ? ['head', 'output = "/dev/null"'] : []),
      ...(method === 'POST' ? ['header = "content-type: application/json"'] : []),
      ...(method === 'POST' ? [`data = ${quoted(JSON.stringify(body ?? { none: 1 }))}`] : []),
    ].join('\n'),
  );
  const { out, err, code } = await run(['curl', '--config', '-'], requests.join('\nnext\n'));
  if (code !== 0) throw new Error(`curl ended with ${code}: ${err}`);
  const told = out.split('\n').filter((line) => line !== '');
  return asked.map(({ isPlain = false }) => {
    const answer = isPlain ? {} : (JSON.parse(told.shift() ?? '') as object);
    return { ...answer, status: Number(told.shift()) };
  });
}

async function signIn(name: keyof typeof passwords): Promise<string> {
  const pass = new Bun.CryptoHasher('md5').update(passwords[name]).digest('hex');
  const [answer] = await curl([{ method: 'POST', path: 'api/login', body: { id: name, pass } }]);
  if (answer?.result !== 0) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return String(answer.token);
}

/** As the table names them, of the hub's own description; without the file of an answer there is a `result`. */
async function described(session: string): Promise<{ route: string; asked: Asked }[]> {
  const [api] = await curl([{ method: 'GET', path: 'api/openapi.json' }], session);
  const paths = (api?.paths ?? {}) as Record<string, Record<string, { responses: { 200: { content: object } } }>>;
  return Object.entries(paths).flatMap(([path, calls]) =>
    Object.entries(calls).map(([verb, { responses }]) => {
      const method = verb.toUpperCase() as Asked['method'];
      const isPlain = JSON.stringify(responses).includes('#/components/schemas/Failure') === false;
      const filled = path.replace('{id}', '1').replace('{file}', 'index.m3u8');
      const asked = { method, path: filled.slice(1), isPlain };
      return { route: `${method} ${path.replace(/^\/(api\/)?/, '')}`, asked };
    }),
  );
}

test('the script sets the team up, brings it into line again, and lets no secret be seen', async () => {
  expect(await team('up')).toEqual({
    code: 0,
    err: '',
    out: [
      ...['group Operators: added', 'group Devices: added', 'group Engineering: added'],
      ...['user anna: added', 'user otto: added', 'user vera: added', 'user dora: added', 'user emil: added'],
      ...['group Operators: has otto', 'group Devices: has dora', 'group Engineering: has emil', ''],
    ].join('\n'),
  });
  // Somebody has meddled: it is put right, and who has no line keeps the password.
  const admin = await signIn('Admin');
  await curl([{ method: 'POST', path: 'api/usr/set', body: { name: 'otto', 'group-id': 4 } }], admin);
  const { Admin, vera } = passwords;
  const again = await team('up', { Admin, vera });
  expect([again.code, again.err]).toEqual([0, '']);
  expect(again.out).toContain('group Operators: set');
  expect(again.out).toContain('user vera: password set');
  expect(again.out).not.toContain('added');
  for (const name of Object.keys(passwords) as Member[]) await signIn(name);
});

test('no secret stands on a command line of the script, and a wrong password ends it', async () => {
  const traced = await run(['bash', '-x', script, 'up'], lines(passwords).join(''));
  expect(traced.code).toBe(0);
  const programs = traced.err.split('\n').filter((line) => /^\++ (curl|jq|md5sum|cut|awk) /.test(line));
  expect(programs.filter((line) => line.includes(' curl ')).length).toBeGreaterThan(20);
  for (const password of Object.values(passwords)) expect(programs.join('\n')).not.toContain(password);
  expect(programs.join('\n')).not.toContain('mwcloud-sid=');
  const wrong = await team('up', { ...passwords, Admin: 'not-the-password' });
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.err).toStartWith('team.sh: login: ');
  expect(wrong.err).not.toContain('not-the-password');
});

test('the table names every route of the hub once', async () => {
  const listed = Object.values(routes).flat();
  const found = (await described(await signIn('anna'))).map(({ route }) => route);
  expect(listed.toSorted()).toEqual(found.toSorted());
});

for (const [name, powers] of Object.entries(may) as [Member, (typeof may)[Member]][]) {
  test(`${name} may call what the table says, and nothing else`, async () => {
    const session = await signIn(name);
    const all = (await described(session)).filter(({ route }) => !leaves.includes(route));
    const answers = await curl(
      all.map(({ asked }) => asked),
      session,
    );
    const open = all.filter((_, at) => {
      const { result, status } = answers[at] ?? {};
      // Whatever else is wrong with what was sent: only these say that one may not.
      expect([result === 37, status === 401]).toEqual([false, false]);
      return result !== 31 && status !== 403;
    });
    const allowed = needs.filter((need) => {
      if (need === 'anybody' || need === 'whoever is signed in' || powers === 'everything') return true;
      return (powers as readonly string[]).includes(need);
    });
    const expected = allowed.flatMap((need) => routes[need]).filter((route) => !leaves.includes(route));
    expect(open.map(({ route }) => route).toSorted()).toEqual(expected.toSorted());
  });
}

test('each does the work that is meant for the job, and not that of the others', async () => {
  const as = Object.fromEntries(
    await Promise.all((Object.keys(may) as Member[]).map(async (name) => [name, await signIn(name)] as const)),
  ) as Record<Member, string>;
  const post = async (name: Member, path: string, body: object) =>
    (await curl([{ method: 'POST', path: `api/${path}`, body }], as[name]))[0] ?? {};
  const get = async (name: Member, path: string) =>
    (await curl([{ method: 'GET', path: `api/${path}` }], as[name]))[0] ?? {};
  const { id, ...added } = await post('emil', 'channel/add', { name: 'Studio' });
  expect(added).toMatchObject({ result: 0 });
  const stop = { id, enable: false };
  const outcomes = {
    'vera stops': await post('vera', 'channel/enable', stop),
    'dora stops': await post('dora', 'channel/enable', stop),
    'otto stops': await post('otto', 'channel/enable', stop),
    'otto renames': await post('otto', 'channel/set', { id, name: 'Roof' }),
    'emil renames': await post('emil', 'channel/set', { id, name: 'Roof' }),
    'emil adds a user': await post('emil', 'usr/add', { name: 'fritz', password: 'secret' }),
    'emil reads the log': await get('emil', 'log/list'),
    'dora looks at channels': await get('dora', 'channel/dashboard'),
    'vera changes a password of hers': await post('vera', 'usr/update', {
      ...{ name: 'vera', 'old-password': passwords.vera, password: 'vera~views~on' },
    }),
    'otto changes that of anna': await post('otto', 'usr/update', { name: 'anna', password: 'mine-now' }),
  };
  expect(Object.fromEntries(Object.entries(outcomes).map(([what, { result }]) => [what, result]))).toEqual({
    ...{ 'vera stops': 31, 'dora stops': 31, 'otto stops': 0, 'otto renames': 31, 'emil renames': 0 },
    ...{ 'emil adds a user': 31, 'emil reads the log': 31, 'dora looks at channels': 31 },
    ...{ 'vera changes a password of hers': 0, 'otto changes that of anna': 31 },
  });
  expect(await get('otto', `channel/query?id=${id}`)).toMatchObject({ name: 'Roof', state: 'disabled' });
  const { list } = (await get('anna', 'log/list?result=success')) as { list?: { user: string; action: string }[] };
  expect(list?.slice(0, 4).map(({ user, action }) => `${user} ${action}`)).toEqual([
    ...['vera user.password', 'emil channel.set', 'otto channel.enable', 'emil channel.add'],
  ]);
});

test('the script takes the team away, and with it what they could do', async () => {
  const otto = await signIn('otto');
  const { code, out } = await team('down');
  expect([code, out.split('\n').filter((line) => line.endsWith(': deleted'))]).toEqual([
    0,
    [
      ...['user anna: deleted', 'user otto: deleted', 'user vera: deleted', 'user dora: deleted'],
      ...['user emil: deleted', 'group Operators: deleted', 'group Devices: deleted', 'group Engineering: deleted'],
    ],
  ]);
  expect((await curl([{ method: 'GET', path: 'api/system/status' }], otto))[0]).toMatchObject({ result: 37 });
  const admin = await signIn('Admin');
  const [people] = await curl([{ method: 'GET', path: 'api/usr/list' }], admin);
  expect(((people?.users ?? []) as { name: string }[]).map(({ name }) => name)).toEqual(['Admin']);
  expect(((people?.groups ?? []) as { name: string }[]).map(({ name }) => name)).toEqual(['Admin', 'User', 'Viewer']);
});
