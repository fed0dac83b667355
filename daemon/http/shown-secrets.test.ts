/** Which permission shows which secret, in every read of the API and every event topic. */
import { afterAll, expect, test } from 'bun:test';
import { composedHub } from '../../tests/fixtures/composed-hub.ts';
import { endpointsOf } from '../../tests/fixtures/endpoints.ts';
import { api } from '../contract/api.ts';
import { eventTopics } from '../contract/events.ts';
import { groupTypes, maskOf, type Permission } from '../contract/permission.ts';

const { call, json, post, signIn, addUser, remove } = await composedHub();
afterAll(remove);
const admin = await signIn('Admin');

const secrets = {
  pushKey: 'planted-push',
  playKey: 'planted-play',
  outputKey: 'planted-output',
  inputKey: 'planted-input',
  calledId: 'planted-called',
  awaitedId: 'planted-awaited',
  query: 'planted-query',
  webhookPath: 'planted-hook',
  code: '"0739"',
};
const editors = ['outputKey', 'inputKey', 'calledId', 'awaitedId', 'query'];

const add = async (path: string, body: object): Promise<number> => (await post(path, body, admin)).id;
const keys = { 'push-key': secrets.pushKey, 'play-key': secrets.playKey };
const channel = await add('/api/channel/add', { name: 'Studio', config: keys });
const sources = [
  { url: `srt://192.0.2.1:9000?mode=caller&latency=120&streamid=${secrets.calledId}` },
  { url: 'rtmp://192.0.2.1/live', key: secrets.inputKey },
  { url: `http://192.0.2.1/live.ts?token=${secrets.query}` },
  { url: `rtsp://192.0.2.1/stage?token=${secrets.query}` },
];
const inputs: number[] = [];
for (const [i, config] of sources.entries()) {
  const input = await add('/api/input/source/add', { name: `In ${i}`, config });
  inputs.push(input);
  await post('/api/preset/save', { name: `Kept ${i}`, input }, admin);
  await post('/api/channel/input/set', { id: channel, input }, admin);
}
const destinations = [
  { url: 'rtmp://192.0.2.1/live', key: secrets.outputKey },
  { srt: { mode: 'listener', host: '0.0.0.0', port: 9001, latency: 120, 'stream-id': secrets.awaitedId } },
];
const outputs: number[] = [];
for (const [i, config] of destinations.entries()) {
  const output = await add('/api/output/add', { name: `Out ${i}`, config, channel });
  outputs.push(output);
  await post('/api/preset/save', { name: `Kept out ${i}`, output }, admin);
}
const hook = { enabled: false, url: `https://192.0.2.1/${secrets.webhookPath}` };
await post('/api/alarm/webhook/set', hook, admin);
await post('/api/settings/set', { security: { 'code-value': secrets.code.slice(1, -1) } }, admin);

/** Names of the secrets found in a response. */
async function seenBy(session: string): Promise<string[]> {
  const reads = endpointsOf(api).filter(({ method, path }) => method === 'GET' && path !== '/api/logout');
  const query = `id=${channel}&channel=${channel}&count=100`;
  const texts = await Promise.all(
    reads.map(async ({ path }) => (await call(`${path}?${query}`, { as: session })).text()),
  );
  for (const topic of Object.keys(eventTopics)) texts.push(await beginningOf(topic, session));
  const whole = texts.join('\n');
  return Object.entries(secrets).flatMap(([name, secret]) => (whole.includes(secret) ? [name] : []));
}

/** Reads up to the whole state of the topic; returns the text of a refusal. */
async function beginningOf(topic: string, session: string): Promise<string> {
  const response = await call(`/api/events?topics=${topic}`, { as: session });
  const decoded = response.body!.pipeThrough(new TextDecoderStream() as never);
  const reader = decoded.getReader() as ReadableStreamDefaultReader<string>;
  let text = '';
  while (!/"topic":|"result":/.test(text)) text += (await reader.read()).value;
  await reader.cancel();
  return text;
}

await addUser('ann', groupTypes.viewer);
const { id: group } = await post('/api/usr-group/add', { name: 'Trial', permissions: 4, users: ['ann'] }, admin);
async function holderOf(...permissions: Permission[]): Promise<string> {
  const answer = await post('/api/usr-group/set', { id: group, permissions: maskOf(...permissions) }, admin);
  expect(answer).toMatchObject({ result: 0 });
  return signIn('ann');
}

test('an administrator sees what the published API shows', async () => {
  expect(await seenBy(admin)).toEqual(Object.keys(secrets));
});

test('a viewer sees only the play key', async () => {
  expect(await seenBy(await addUser('viewer', groupTypes.viewer))).toEqual(['playKey']);
});

test.each<[Permission, readonly string[]]>([
  ['channelView', ['playKey']],
  ['channelControl', ['playKey']],
  ['channelEdit', ['pushKey', 'playKey', ...editors]],
  ['ioView', []],
  ['ioEdit', editors],
  ['systemView', []],
  ['systemEdit', ['webhookPath', 'code']],
])('with %s alone a user sees %j', async (permission, seen) => {
  expect(await seenBy(await holderOf(permission))).toEqual([...seen]);
});

test('flags replace omitted secrets', async () => {
  const viewer = await holderOf('channelView', 'ioView', 'systemView');
  const get = (path: string) => json(path, { as: viewer });
  expect((await get(`/api/channel/query?id=${channel}`)).config).toMatchObject({ 'push-key-set': true });
  const shown = (await get('/api/input/source/list')).list.map(({ config }: { config: object }) => config);
  expect(shown).toMatchObject([
    { url: 'srt://192.0.2.1:9000?mode=caller&latency=120', srt: { 'stream-id-set': true } },
    { url: 'rtmp://192.0.2.1/live', 'key-set': true },
    { url: 'http://192.0.2.1/live.ts', 'url-query-set': true },
    { url: 'rtsp://192.0.2.1/stage', 'url-query-set': true },
  ]);
  // A listener that asks for a stream id does not count as open for any reader.
  const [, awaited] = (await get('/api/output/list')).list;
  expect(awaited.config.srt).toMatchObject({ mode: 'listener', 'stream-id-set': true });
  expect(awaited.config.srt).not.toHaveProperty('open');
  expect(await get('/api/alarm/webhook')).toMatchObject({ url: 'https://192.0.2.1', 'url-path-set': true });
  expect((await get('/api/settings/get')).security).toEqual({ 'enable-code': false, 'code-value-set': true });
});

test.each([
  ['/api/channel/reveal-key', { id: channel }, 'pushKey', 'channel.reveal', 'Studio'],
  ['/api/input/source/reveal', { id: inputs[1] }, 'inputKey', 'input.reveal', 'In 1'],
  ['/api/output/reveal', { id: outputs[1] }, 'awaitedId', 'output.reveal', 'Out 1'],
  ['/api/alarm/webhook/reveal', {}, 'webhookPath', 'settings.reveal', 'alarm-webhook'],
  ['/api/settings/reveal-code', {}, 'code', 'settings.reveal', 'security'],
] as const)('%s returns the secret and records who saw it', async (path, body, name, action, subject) => {
  const answer = await post(path, body, admin);
  expect(JSON.stringify(answer)).toContain(secrets[name]);
  const [entry] = (await json('/api/log/list?count=1', { as: admin })).list;
  expect(entry).toMatchObject({ user: 'Admin', action, subject, changes: [], result: 0 });
  expect(JSON.stringify(entry)).not.toContain(secrets[name]);
});
