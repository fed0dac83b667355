/**
 * Runs the example script that sets up a whole team. Each member then makes the calls that distinguish their role; the
 * permission walk (daemon/http/permission-walk.test.ts) covers every route with every permission.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { allPermissions, maskOf } from '../../daemon/contract/permission.ts';
import { bySession } from '../fixtures/route-walk.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';
import { rawCall } from './raw-call.ts';

setDefaultTimeout(60_000);

const script = join(import.meta.dir, '../../docs/examples/team.sh');
const passwords = {
  ...{ Admin: adminPassword, anna: 'boss-of-them-all', otto: 'operates_it_all!', vera: 'views~and-looks' },
  ...{ dora: 'all#the-devices', emil: 'builds$channels' },
};
type Member = Exclude<keyof typeof passwords, 'Admin'>;

/** The permissions of each according to section 6 of the specification, including implied ones. */
const may: Readonly<Record<Member, number>> = {
  anna: allPermissions,
  otto: maskOf('channelControl', 'channelView', 'ioView'),
  vera: maskOf('firmwareView', 'deviceView', 'groupView', 'ioView', 'channelView', 'systemView', 'ndiView'),
  dora: maskOf('deviceAdvanced', 'deviceControl', 'deviceView', 'firmwareManage', 'firmwareView', 'groupView'),
  emil: maskOf(
    ...(['channelEdit', 'channelControl', 'channelView', 'ioEdit', 'ioView'] as const),
    ...(['systemEdit', 'systemView', 'ndiEdit', 'ndiView'] as const),
  ),
};

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

interface ApiResponse {
  readonly result: number;
  readonly [field: string]: unknown;
}

/** Sends a POST if there is a body, otherwise a GET. */
async function call(session: string, path: string, body?: object): Promise<ApiResponse> {
  const { json } = await rawCall(hub, { path: `/api/${path}`, ...(body && { body }), headers: bySession(session) });
  return json as unknown as ApiResponse;
}

async function signIn(name: keyof typeof passwords): Promise<string> {
  const pass = new Bun.CryptoHasher('md5').update(passwords[name]).digest('hex');
  const answer = await call('', 'login', { id: name, pass });
  if (answer.result !== 0) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return String(answer.token);
}

interface People {
  readonly users: readonly { readonly name: string; readonly permission: number }[];
  readonly groups: readonly { readonly name: string }[];
}
const peopleSeenBy = async (session: string) => (await call(session, 'usr/list')) as unknown as People;

test('the script sets up the team, and none of its command lines contains a secret', async () => {
  const { code, out, err } = await run(['bash', '-x', script, 'up'], lines(passwords).join(''));
  expect([code, out]).toEqual([
    0,
    [
      ...['group Operators: added', 'group Devices: added', 'group Engineering: added'],
      ...['user anna: added', 'user otto: added', 'user vera: added', 'user dora: added', 'user emil: added'],
      ...['group Operators: has otto', 'group Devices: has dora', 'group Engineering: has emil', ''],
    ].join('\n'),
  ]);
  const programs = err.split('\n').filter((line) => /^\++ (curl|jq|md5sum|cut|awk) /.test(line));
  expect(programs.filter((line) => line.includes(' curl ')).length).toBeGreaterThan(20);
  for (const password of Object.values(passwords)) expect(programs.join('\n')).not.toContain(password);
  expect(programs.join('\n')).not.toContain('mwcloud-sid=');
  const { users } = await peopleSeenBy(await signIn('anna'));
  const given = users.filter(({ name }) => name !== 'Admin').map(({ name, permission }) => [name, permission]);
  expect(Object.fromEntries(given)).toEqual(may);
});

test('a second run silently restores the team, and a wrong password ends the script', async () => {
  // The script reverts manual changes, and users without a line keep their password.
  await call(await signIn('Admin'), 'usr/set', { name: 'otto', 'group-id': 4 });
  const { Admin, vera } = passwords;
  const again = await team('up', { Admin, vera });
  expect([again.code, again.err]).toEqual([0, '']);
  expect(again.out).toContain('group Operators: set');
  expect(again.out).toContain('user vera: password set');
  expect(again.out).not.toContain('added');
  for (const name of Object.keys(passwords) as Member[]) await signIn(name);
  const wrong = await team('up', { ...passwords, Admin: 'not-the-password' });
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.err).toStartWith('team.sh: login: ');
  expect(wrong.err).not.toContain('not-the-password');
});

test('each member can do the work of the role, and not that of the others', async () => {
  const as = Object.fromEntries(
    await Promise.all((Object.keys(may) as Member[]).map(async (name) => [name, await signIn(name)] as const)),
  ) as Record<Member, string>;
  const post = (name: Member, path: string, body: object) => call(as[name], path, body);
  const get = (name: Member, path: string) => call(as[name], path);
  const { id, ...added } = await post('emil', 'channel/add', { name: 'Studio' });
  expect(added).toMatchObject({ result: 0 });
  const stop = { id, enable: false };
  const outcomes = {
    'vera looks at channels': await get('vera', 'channel/dashboard'),
    'vera stops': await post('vera', 'channel/enable', stop),
    'dora stops': await post('dora', 'channel/enable', stop),
    'otto stops': await post('otto', 'channel/enable', stop),
    'otto renames': await post('otto', 'channel/set', { id, name: 'Roof' }),
    'emil renames': await post('emil', 'channel/set', { id, name: 'Roof' }),
    'emil adds a user': await post('emil', 'usr/add', { name: 'fritz', password: 'a-long-secret' }),
    'emil reads the log': await get('emil', 'log/list'),
    'dora looks at channels': await get('dora', 'channel/dashboard'),
    'vera changes a password of hers': await post('vera', 'usr/update', {
      ...{ name: 'vera', 'old-password': passwords.vera, password: 'views~and~goes~on' },
    }),
    'otto changes that of anna': await post('otto', 'usr/update', { name: 'anna', password: 'mine-from-now' }),
  };
  expect(Object.fromEntries(Object.entries(outcomes).map(([what, { result }]) => [what, result]))).toEqual({
    ...{
      'vera looks at channels': 0,
      'vera stops': 31,
      'dora stops': 31,
      'otto stops': 0,
      'otto renames': 31,
      'emil renames': 0,
    },
    ...{ 'emil adds a user': 31, 'emil reads the log': 31, 'dora looks at channels': 31 },
    ...{ 'vera changes a password of hers': 0, 'otto changes that of anna': 31 },
  });
  expect(await get('otto', `channel/query?id=${id}`)).toMatchObject({ name: 'Roof', state: 'disabled' });
  const { list } = (await get('anna', 'log/list?result=success')) as { list?: { user: string; action: string }[] };
  expect(list?.slice(0, 4).map(({ user, action }) => `${user} ${action}`)).toEqual([
    ...['vera user.password', 'emil channel.set', 'otto channel.enable', 'emil channel.add'],
  ]);
});

test('the script removes the team, and its access', async () => {
  const otto = await signIn('otto');
  const { code, out } = await team('down');
  expect([code, out.split('\n').filter((line) => line.endsWith(': deleted'))]).toEqual([
    0,
    [
      ...['user anna: deleted', 'user otto: deleted', 'user vera: deleted', 'user dora: deleted'],
      ...['user emil: deleted', 'group Operators: deleted', 'group Devices: deleted', 'group Engineering: deleted'],
    ],
  ]);
  expect(await call(otto, 'system/status')).toMatchObject({ result: 37 });
  const { users, groups } = await peopleSeenBy(await signIn('Admin'));
  expect(users.map(({ name }) => name)).toEqual(['Admin']);
  expect(groups.map(({ name }) => name)).toEqual(['Admin', 'User', 'Viewer']);
});
