import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { limits } from '../../contract/limits.ts';
import { systemFlags } from '../../contract/variant.ts';
import { createLog } from '../../lib/log.ts';
import { ofStartingHub } from '../../settings-sections/list.ts';
import { openSecrets } from '../../store/secrets.ts';
import { isStaged } from '../../store/staged-import.ts';
import { createAudit } from '../logs/audit.ts';
import { canonical } from './document.ts';
import { applyStaged } from './staged.ts';

type Hub = Awaited<ReturnType<typeof composedHub>>;
// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
type Json = any;

const passphrase = 'open sesame';
let hub: Hub;
let admin: string;
const hubs: Hub[] = [];
/** A hub that refuses everything, so that one is enough for all of these tests. */
let refusing: { readonly hub: Hub; readonly admin: string; readonly text: string } | undefined;

beforeEach(async () => {
  hub = await newHub();
  admin = await hub.signIn('Admin');
});
afterEach(() => {
  for (const one of hubs.splice(0)) one.remove();
});
afterAll(() => refusing?.hub.remove());

async function newHub(): Promise<Hub> {
  const one = await composedHub({ env: { SIGNALBOX_FEATURES: 'devices' } });
  hubs.push(one);
  return one;
}

const post = (path: string, body: object, as = admin): Promise<Json> => hub.post(`/api/${path}`, body, as);
const save = async (body: object = { passphrase }): Promise<Json> => (await post('settings/export', body)).file;
const load = (file: Json, more: object = {}, as = admin): Promise<Json> =>
  post('settings/import', { file: typeof file === 'string' ? file : JSON.stringify(file), ...more }, as);

/** What the next start of the hub does. */
function storeStaged({ db, dir }: Hub): void {
  const secrets = openSecrets(`${dir}/secrets.key`);
  const now = () => 1_700_000_000_000;
  const sections = ofStartingHub({ secrets, now });
  applyStaged({ db, secrets, audit: createAudit(now), log: createLog('error'), sections });
}

/** Everything that the file has, in the database. */
const rows = ({ db }: Hub) =>
  ['settings', 'users', 'user_groups', 'inputs', 'outputs', 'servers', 'presets', 'channels', 'stream_keys'].map(
    (table) => db.$client.query(`SELECT * FROM ${table} ORDER BY 1`).all(),
  );

async function fill(): Promise<void> {
  await post('usr-group/add', { name: 'Crew', permissions: 4 });
  await post('usr/add', { name: 'ann', password: 'hidden-password', 'group-id': 8 });
  const url = 'srt://192.0.2.1:9000?streamid=hidden-id&passphrase=hidden-phrase-1';
  const { id: input } = await post('input/source/add', { name: 'Far', config: { url } });
  const keys = { 'push-key': 'hidden-push', 'play-key': 'hidden-play' };
  const { id: channel } = await post('channel/add', { name: 'Arena', config: keys });
  await post('channel/input/set', { id: channel, input });
  await post('alarm/rules/set', { channel, rules: { 'no-input': { enable: true, seconds: 7 } } });
  const rtmp = { url: 'rtmp://192.0.2.2/app', key: 'hidden-key' };
  await post('output/add', { name: 'Net', config: rtmp, channel });
  const config = { type: 1, url: 'rtmp://192.0.2.3/app', 'main-key': 'hidden-main' };
  const { id: server } = await post('server/add', { name: 'CDN', config });
  await post('server/output/add', { id: server, stream: 'main', name: 'Made' });
  await post('preset/save', { name: 'Kept', input });
  await post('catalog/add', { name: 'Stage' });
  await post('settings/set', { srt: { 'pb-key-len': 16, passphrase: 'hidden-listener' } });
  await post('settings/set', { security: { 'enable-code': true, 'code-value': '0739' } });
  await post('settings/set', { 'hub-name': 'Truck 4' });
  await post('alarm/webhook/set', { enabled: true, url: 'https://example.org/hidden-path', secret: 'hidden-sign' });
}

async function useRefusing(): Promise<Json> {
  if (refusing === undefined) {
    await fill();
    refusing = { hub, admin, text: JSON.stringify(await save({})) };
    hubs.splice(hubs.indexOf(hub), 1);
  }
  ({ hub, admin } = refusing);
  return JSON.parse(refusing.text);
}

test('S5: the file shows no secret, and without a passphrase it has none', async () => {
  await fill();
  const [closed, without] = [await save(), await save({})];
  const text = JSON.stringify([closed, without]);
  expect(text).not.toContain('hidden-');
  expect(text).not.toContain('0739');
  expect(text).not.toContain('argon2id$');
  expect(closed.secrets).toMatchObject({ kdf: 'argon2id', cipher: 'aes-256-gcm' });
  expect(without.secrets).toBeUndefined();
  expect(without.sections.outputs[0]).toMatchObject({ name: 'Net', channel: 'Arena', secrets: ['key'] });
});

test('a file moves everything to another hub, which has the same file afterwards', async () => {
  await fill();
  const file = await save();
  hub = await newHub();
  admin = await hub.signIn('Admin');
  const seen = await load(file, { passphrase, preview: true });
  expect(seen).toMatchObject({ result: 0, restarts: false, 'root-needed': ['Admin'], ignored: [] });
  expect(hub.restarts).toEqual([]);
  expect(isStaged(hub.db)).toBe(false);
  const done = await load(file, { passphrase, digest: seen.digest });
  expect(done).toMatchObject({ result: 0, restarts: true });
  expect(isStaged(hub.db)).toBe(true);
  storeStaged(hub);
  expect(isStaged(hub.db)).toBe(false);
  const { db } = hub;
  expect(db.$client.query('SELECT push_key, play_key FROM channels').all()).toEqual([
    { push_key: 'hidden-push', play_key: 'hidden-play' },
  ]);
  expect(db.$client.query("SELECT value FROM settings WHERE name = 'hub-name'").get()).toEqual({ value: '"Truck 4"' });
  // The same file once more changes nothing: the hub has it all, with the secrets. Its settings are read at its start.
  const others = Object.keys(file.sections).filter((name) => name !== 'settings');
  admin = await hub.signIn('Admin');
  const again = await load(file, { passphrase, preview: true, sections: others });
  for (const { name, ...section } of again.sections) {
    const nothing = { 'added-num': 0, 'changed-num': 0, 'removed-num': 0, 'lacks-secrets': [] };
    expect([name, section]).toMatchObject([name, nothing]);
  }
  const { list } = await hub.json('/api/log/list?key=settings.import', { as: admin });
  expect(list).toHaveLength(1);
  expect(list[0]).toMatchObject({ user: 'Admin', result: 0 });
  expect(list[0].changes).toContainEqual({ word: 'importedSection', value: 'inputs +1 ~0 -0' });
});

test('a preview names what is added, changed and removed; what the file lacks goes, what it omits stays', async () => {
  await fill();
  const { checksum: _, ...file } = await save({});
  const [inputs, outputs] = [file.sections.inputs, file.sections.outputs];
  inputs[0].config.srt.port = 9001;
  outputs.push({ name: 'New', enabled: true, config: { url: 'rtmp://192.0.2.9/app' }, secrets: ['key'] });
  file.sections = { inputs, outputs: outputs.filter(({ name }: Json) => name !== 'Made') };
  const { sections } = await load(file, { preview: true });
  expect(sections).toMatchObject([
    // Its secrets must not go to another address.
    { name: 'inputs', changed: [{ name: 'Far', members: ['config', 'secrets'] }], 'lacks-secrets': ['Far'] },
    { name: 'outputs', added: ['New'], removed: ['Made'], 'unchanged-num': 1, 'lacks-secrets': ['New'] },
  ]);
  await load(file);
  storeStaged(hub);
  const { list } = await hub.json('/api/output/list', { as: admin });
  expect(list.map(({ name }: Json) => name)).toEqual(['Net', 'New']);
  expect(list[0]).toMatchObject({ 'owner-o': 'Arena', config: { key: 'hidden-key' } });
  expect(hub.db.$client.query('SELECT count(*) AS n FROM channels').get()).toEqual({ n: 1 });
});

test('channels may exchange their keys, and inputs their names', async () => {
  for (const name of ['One', 'Two']) {
    await post('channel/add', { name, config: { 'push-key': `push-of-${name}`, 'play-key': `play-of-${name}` } });
  }
  const file = await save();
  for (const channel of file.sections.channels) channel.name = channel.name === 'One' ? 'Two' : 'One';
  // The secrets belong to the names, so the other channel has them now.
  const { checksum: _, ...edited } = file;
  expect(await load(edited, { passphrase, sections: ['channels'] })).toMatchObject({ result: 0, restarts: false });
  await post('channel/set', { name: 'One', config: { 'push-key': 'another-key' } });
  await post('channel/set', { name: 'Two', config: { 'push-key': 'push-of-One' } });
  expect(await load(edited, { passphrase, sections: ['channels'] })).toMatchObject({ result: 0, restarts: true });
  storeStaged(hub);
  expect(hub.db.$client.query('SELECT name, push_key FROM channels ORDER BY id').all()).toEqual([
    { name: 'One', push_key: 'push-of-One' },
    { name: 'Two', push_key: 'push-of-Two' },
  ]);
});

test.each<[string, (file: Json) => unknown, object]>([
  [
    'of another product',
    (file) => ({ ...file, product: 'toaster' }),
    { result: 39, fields: [{ rule: 'otherProduct' }] },
  ],
  ['of a newer format', (file) => ({ ...file, 'format-version': 2 }), { result: 9, fields: [{ rule: 'newerFormat' }] }],
  ['that is cut in half', (file) => JSON.stringify(file).slice(0, 500), { result: 21, fields: [{ rule: 'damaged' }] }],
  ['that was edited', (file) => ({ ...file, hub: 'x' }), { result: 40, fields: [{ rule: 'checksum' }] }],
  ['of 9 MB', (file) => JSON.stringify(file) + ' '.repeat(9e6), { result: 18 }],
  ['of 100 MB', (file) => JSON.stringify(file) + ' '.repeat(1e8), { result: 18 }],
  ['that is nested deeply', () => '['.repeat(200_000), { result: 21, fields: [{ rule: 'tooDeep' }] }],
  [
    'with __proto__',
    (file) => JSON.stringify(file).replace('"hub"', '"__proto__"'),
    { result: 21, fields: [{ rule: 'damaged' }] },
  ],
  ['with constructor', (file) => JSON.stringify(file).replace('"description"', '"constructor"'), { result: 21 }],
  ['that is a list', () => '[]', { result: 21, fields: [{ rule: 'notSettings' }] }],
  ['that is a picture', () => '\u0089PNG', { result: 21, fields: [{ rule: 'damaged' }] }],
])('S1: a file %s is refused, and nothing changes', async (_, change, refused) => {
  const file = await useRefusing();
  const before = rows(hub);
  expect(await load(change(file))).toMatchObject(refused);
  expect(rows(hub)).toEqual(before);
  expect(hub.restarts).toEqual([]);
});

test.each<[string, (sections: Json) => void, object]>([
  [
    'an unknown member',
    (s) => Object.assign(s.inputs[0], { nmae: 'x' }),
    { result: 7, fields: [{ path: 'inputs/Far/nmae' }] },
  ],
  [
    'a wrong type',
    (s) => Object.assign(s.outputs[0], { enabled: 'yes' }),
    { result: 7, fields: [{ path: 'outputs/Net/enabled' }] },
  ],
  ['an address that cannot be', (s) => Object.assign(s.inputs[0].config.srt, { port: 99_999 }), { result: 7 }],
  [
    'an unknown channel',
    (s) => Object.assign(s.outputs[0], { channel: 'Nowhere' }),
    { result: 7, fields: [{ path: 'outputs/Net/channel' }] },
  ],
  ['a name twice', (s) => s.inputs.push(s.inputs[0]), { result: 1003 }],
  [
    'too many',
    (s) => {
      s.servers = Array.from({ length: 17 }, (_, n) => ({ ...s.servers[0], name: `S ${n}` }));
    },
    { result: 17 },
  ],
  [
    'a group with the rights of administrators',
    (s) => s['user-groups'].push({ name: 'Sly', description: '', permissions: ['userControl'] }),
    { result: 7, fields: [{ path: 'user-groups/Sly/permissions', rule: 'adminOnly' }] },
  ],
  [
    'Admin as a viewer',
    (s) => Object.assign(s.users[0], { group: 'Viewer' }),
    { result: 7, fields: [{ rule: 'rootUser' }] },
  ],
  [
    'a setting out of range',
    (s) => {
      s.settings.find(({ name }: Json) => name === 'expired-time').value = 99_999;
    },
    { result: 7 },
  ],
  ['the ports of the console', (s) => s.settings.push({ name: 'web', value: { 'http-port': 81 } }), { result: 7 }],
])('a file with %s is refused as a whole, and the answer names it', async (_, change, refused) => {
  const { checksum: _sum, ...file } = await useRefusing();
  const before = rows(hub);
  // Something that could be stored.
  file.sections.presets = [];
  change(file.sections);
  expect(await load(file)).toMatchObject(refused);
  expect(rows(hub)).toEqual(before);
});

test('S2: only administrators export and import, and only Admin makes administrators', async () => {
  await fill();
  const ann = await hub.signIn('ann', 'hidden-password');
  const file = await save();
  expect(await post('settings/export', {}, ann)).toMatchObject({ result: 31 });
  expect(await load(file, { passphrase, preview: true }, ann)).toMatchObject({ result: 31 });
  const eve = await hub.addUser('eve', 1);
  const { checksum: _, ...edited } = file;
  edited.sections.users.find(({ name }: Json) => name === 'ann').group = 'Admin';
  const seen = await load(edited, { passphrase, preview: true }, eve);
  expect(seen).toMatchObject({
    'root-needed': ['ann'],
    sections: expect.arrayContaining([
      expect.objectContaining({ name: 'users', changed: [{ name: 'ann', members: ['group'] }], removed: ['eve'] }),
    ]),
  });
  expect(await load(edited, { passphrase }, eve)).toMatchObject({ result: 31 });
  expect(isStaged(hub.db)).toBe(false);
  expect(await load(edited, { passphrase }, admin)).toMatchObject({ result: 0, restarts: true });
});

test('S3: a wrong passphrase is refused, logged, and delayed as a wrong password is', async () => {
  const waits: number[] = [];
  hub = await composedHub({ sleep: async (ms) => void waits.push(ms) });
  hubs.push(hub);
  admin = await hub.signIn('Admin');
  const file = await save();
  expect(await load(file)).toMatchObject({ result: 7, fields: [{ path: 'passphrase', rule: 'required' }] });
  for (let guess = 0; guess < 8; guess++) {
    const wrong = { result: 36, fields: [{ path: 'passphrase', rule: 'passphraseWrong' }] };
    expect(await load(file, { passphrase: `guess ${guess}` })).toMatchObject(wrong);
  }
  expect(waits.length).toBeGreaterThan(0);
  const { list } = await hub.json('/api/log/list?key=settings.import', { as: admin });
  expect(list).toHaveLength(8);
  expect(JSON.stringify(list)).not.toContain('guess');
}, 20_000);

test('S12: while an import waits for its restart, the flag is set, and a second one is told so', async () => {
  await fill();
  const { checksum: _, ...file } = await save();
  file.sections.presets = [];
  expect(await load(file, { passphrase })).toMatchObject({ restarts: true });
  const { status } = await hub.json('/api/system/status', { as: admin });
  expect(status.system.status['status-code'] & systemFlags.importing).toBe(systemFlags.importing);
  const busy = { result: 43, params: { work: 'importing' } };
  expect(await load(file, { passphrase })).toMatchObject(busy);
  expect(await post('reboot', {})).toMatchObject(busy);
  expect(await post('system/reset', { keep: [] })).toMatchObject(busy);
});

test('an import is refused if the settings are no longer those of the preview', async () => {
  await fill();
  const { checksum: _, ...file } = await save();
  file.sections.presets = [];
  const { digest } = await load(file, { passphrase, preview: true });
  await post('input/source/add', { name: 'Late', config: { url: 'udp://192.0.2.1:5000' } });
  expect(await load(file, { passphrase, digest })).toMatchObject({ result: 1004 });
});

test('what the license does not allow is refused before anything is stored', async () => {
  await fill();
  const file = await save();
  hub = await composedHub({ env: { SIGNALBOX_LICENSE_OUTPUTS: '0' } });
  hubs.push(hub);
  admin = await hub.signIn('Admin');
  expect(await load(file, { passphrase })).toMatchObject({ result: 1006 });
  expect(isStaged(hub.db)).toBe(false);
});

test('canonical JSON does not depend on the order of members', () => {
  expect(canonical({ b: [1, { d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":null,"d":1}]}');
  expect(limits.settingsFile.maxBytes).toBeLessThan(limits.settingsFile.maxBodyBytes);
});
