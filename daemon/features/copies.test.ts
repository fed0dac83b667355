/** Adding an object as a copy of another one: what it takes over, and which secrets stay behind. */
import { beforeEach, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { pngOf } from '../../tests/fixtures/pictures.ts';
import { createStreamingFeatures, type StreamingFeatures } from '../../tests/sim/streaming-features.ts';

let hub: StreamingFeatures;
beforeEach(() => {
  hub = createStreamingFeatures();
});

const caller = { mode: 'caller', host: 'studio.example', port: 9000, latency: 120 };
const secretCaller = { srt: { ...caller, 'stream-id': 'feed', passphrase: 'hidden-phrase' } };
const login = { 'enable-auth': true, username: 'me', password: 'hidden-word' };
const rtmp = { url: 'rtmp://live.example/app', key: 'stream-key', ...login };
const added = async (path: string, body: object): Promise<number> => {
  const answer = await hub.post(path, body);
  expect(answer).toMatchObject({ result: 0 });
  return answer.id;
};
const channelOf = (id: number) => hub.get(`channel/query?id=${id}`);
const desired = (id: number) => hub.media.applied.at(-1)?.channels.find((channel) => channel.id === id);

test('a copied input keeps the secrets that are not sent, for the same server only', async () => {
  const original = await added('input/source/add', { name: 'Roof', config: secretCaller });
  const config = { srt: { ...caller, latency: 400 } };
  const copy = await added('input/source/add', { name: 'Roof copy', config, 'copy-of': original });
  const channel = await added('channel/add', { name: 'Studio' });
  await hub.post('channel/input/set', { id: channel, input: copy });
  expect(desired(channel)?.input).toMatchObject({ latencyMs: 400, streamId: 'feed', passphrase: 'hidden-phrase' });
  const elsewhere = { srt: { ...caller, host: 'elsewhere.example' } };
  expect(await hub.post('input/source/add', { name: 'X', config: elsewhere, 'copy-of': original })).toMatchObject({
    result: 7,
    fields: [{ path: 'config.srt.passphrase', rule: 'secretAgain' }],
  });
  expect(hub.operations()).toContain('input.add: Roof copy: srt://studio.example:9000, copy of Roof');
});

test('without a configuration the copy has the same address; one of the two is needed', async () => {
  const original = await added('output/add', { name: 'CDN', config: rtmp });
  const channel = await added('channel/add', { name: 'Studio' });
  const body = { name: 'CDN copy', 'copy-of': original, channel, enable: false };
  const copy = await added('output/add', body);
  expect(desired(channel)?.outputs).toMatchObject([
    { id: copy, enabled: false, target: { url: rtmp.url, key: 'stream-key', password: 'hidden-word' } },
  ]);
  expect(hub.operations()).toContain('output.add: CDN copy: rtmp://live.example/app, copy of CDN, for Studio');
  for (const path of ['output/add', 'input/source/add']) {
    expect(await hub.post(path, { name: 'X' })).toMatchObject({
      ...{ result: 7, fields: [{ path: 'config', rule: 'required' }] },
    });
  }
  expect(await hub.post('output/add', { name: 'X', 'copy-of': 5 })).toMatchObject({ result: 16 });
});

test('a copied output is refused where its original is in the way', async () => {
  const original = await added('output/add', { name: 'Served', config: { type: 0, port: 8554, key: 'lobby' } });
  expect(await hub.post('output/add', { name: 'Copy', 'copy-of': original })).toMatchObject({
    fields: [{ path: 'config.key', rule: 'exists' }],
  });
});

test('a copy of an output that was made from a server keeps its hidden key', async () => {
  const config = { type: 1, url: rtmp.url, 'main-key': 'hidden-key' };
  const server = await added('server/add', { name: 'CDN', config });
  const original = await added('server/output/add', { id: server, stream: 'main', name: 'A' });
  const copy = await added('output/add', { name: 'B', config: { url: rtmp.url }, 'copy-of': original });
  const { list } = await hub.get('output/list');
  expect(list.find(({ id }: { id: number }) => id === copy).config).toMatchObject({ 'key-set': true });
  expect(JSON.stringify([list, hub.operations()])).not.toContain('hidden');
});

test('a copied server keeps its password, and needs a key of its own', async () => {
  const config = { type: 1, url: rtmp.url, 'main-key': 'hidden-main', ...login };
  const original = await added('server/add', { name: 'CDN', config });
  const { password: _, ...open } = config;
  expect(await hub.post('server/add', { name: 'CDN copy', config: open, 'copy-of': original })).toMatchObject({
    fields: [{ path: 'config.main-key', rule: 'sameServer' }],
  });
  const other = { ...open, 'main-key': 'hidden-other' };
  const copy = await added('server/add', { name: 'CDN copy', config: other, 'copy-of': original });
  const output = await added('server/output/add', { id: copy, stream: 'main', name: 'A' });
  const channel = await added('channel/add', { name: 'Studio' });
  await hub.post('channel/output/add', { id: channel, output });
  expect(desired(channel)?.outputs).toMatchObject([{ target: { key: 'hidden-other', password: 'hidden-word' } }]);
  const moved = { ...other, url: 'rtmp://elsewhere.example/app' };
  expect(await hub.post('server/add', { name: 'X', config: moved, 'copy-of': original })).toMatchObject({
    fields: [{ rule: 'secretAgain' }],
  });
});

test('a copied channel has the settings, inputs and slate of its original, new keys and no outputs', async () => {
  const inputs: number[] = [];
  for (const name of ['Main', 'Backup']) inputs.push(await added('input/source/add', { name, config: secretCaller }));
  const protocol = { rtmp: false, srt: true, takeover: true, prefer: 2 };
  const original = await added('channel/add', { name: 'Studio', config: { protocol, ndi: { group: 'stage' } } });
  const slate = `channel/slate/set?id=${original}`;
  expect(await hub.upload(slate, 'image/png', pngOf(16, 9))).toMatchObject({ result: 0 });
  const [input, backup] = inputs;
  const failover = { slate: 'picture', 'stable-s': 20 };
  const chosen = await hub.post('channel/input/set', { id: original, input, backup, failover });
  expect(chosen).toMatchObject({ result: 0 });
  await added('output/add', { name: 'CDN', config: rtmp, channel: original });

  const copy = await added('channel/add', { name: 'Studio copy', 'copy-of': original });
  const [before, after] = [await channelOf(original), await channelOf(copy)];
  expect(after.config.protocol).toEqual(before.config.protocol);
  expect(after.config.ndi).toEqual(before.config.ndi);
  expect(after.failover.rule).toEqual(before.failover.rule);
  expect([after.failover.main.id, after.failover.backup.id]).toEqual(inputs);
  expect(after.outputs.total).toBe(0);
  for (const key of ['push-key', 'play-key']) expect(after.config[key]).not.toBe(before.config[key]);
  const picture = async (id: number) => (await hub.raw(`channel/slate/get?id=${id}`)).bytes();
  expect(await picture(copy)).toEqual(pngOf(16, 9));
  // Each has a file of its own: the copy keeps its slate when the original is deleted.
  expect(readdirSync(hub.slatesDir)).toHaveLength(2);
  await hub.post('channel/del', { id: original });
  expect(await picture(copy)).toEqual(pngOf(16, 9));
  expect(hub.operations()).toContain('channel.add: Studio copy: copy of Studio');
});

test('settings in the call override those of the original channel', async () => {
  const original = await added('channel/add', { name: 'Studio', config: { protocol: { srt: false } } });
  const config = { enable: false, 'push-key': 'another-push-key', protocol: { srt: true } };
  const copy = await added('channel/add', { name: 'Studio copy', config, 'copy-of': original });
  expect((await channelOf(copy)).config).toMatchObject({
    ...{ enable: false, 'push-key': 'another-push-key', protocol: { rtmp: true, srt: true } },
  });
  expect(await hub.post('channel/add', { name: 'X', 'copy-of': 5 })).toMatchObject({ result: 16 });
});
