import { expect, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { countUse } from './store.ts';

const srt = (port: number) => ({ srt: { mode: 'caller', host: 'far.example', port, latency: 200 } });
const udp = { udp: { host: '192.0.2.1', port: 5000 } };
const refusal = (what: string, limit: number, used = limit) => ({ result: 1006, params: { what, limit, used } });

async function channel(hub: StreamingFeatures, name: string, enable = true): Promise<number> {
  return (await hub.post('channel/add', { name, config: { enable } })).id;
}
async function output(hub: StreamingFeatures, name: string, config: object, of?: number): Promise<number> {
  return (await hub.post('output/add', { name, config, ...(of && { channel: of }) })).id;
}

test('channels beyond the license can exist, but not be enabled', async () => {
  const hub = createStreamingFeatures({ channels: 1 });
  const one = await channel(hub, 'One');
  expect(await hub.post('channel/add', { name: 'Two' })).toMatchObject(refusal('channels', 1));
  const two = await channel(hub, 'Two', false);
  expect(await hub.post('channel/enable', { id: two, enable: true })).toMatchObject(refusal('channels', 1));
  expect(await hub.post('channel/set', { id: two, config: { enable: true } })).toMatchObject(refusal('channels', 1));
  expect(await hub.post('channel/enable', { id: one, enable: false })).toEqual({ result: 0 });
  expect(await hub.post('channel/enable', { id: two, enable: true })).toEqual({ result: 0 });
  expect((await hub.get('channel/dashboard')).global).toMatchObject({
    ...{ 'enable-num': 1, 'limit-num': 1, 'limit-create-num': 256, 'used-num': 2 },
  });
  expect(hub.operations().filter((entry) => entry.startsWith('channel.add'))).toHaveLength(2);
});

test('outputs count while they are enabled on an enabled channel', async () => {
  const hub = createStreamingFeatures({ outputs: 1 });
  const one = await channel(hub, 'One');
  await output(hub, 'A', udp, one);
  expect(await hub.post('output/add', { name: 'B', config: udp, channel: one })).toMatchObject(refusal('outputs', 1));
  const spare = await output(hub, 'B', udp);
  expect(await hub.post('channel/output/add', { id: one, output: spare })).toMatchObject(refusal('outputs', 1));
  const off = await channel(hub, 'Off', false);
  expect(await hub.post('channel/output/add', { id: off, output: spare })).toEqual({ result: 0 });
  expect(await hub.post('channel/enable', { id: off, enable: true })).toMatchObject(refusal('outputs', 1));
  await hub.post('channel/output/enable', { id: off, output: spare, enable: false });
  expect(await hub.post('channel/enable', { id: off, enable: true })).toEqual({ result: 0 });
  const again = { id: off, output: spare, enable: true };
  expect(await hub.post('channel/output/enable', again)).toMatchObject(refusal('outputs', 1));
});

test('an SRT input counts once and each SRT output separately, also after a change of protocol', async () => {
  const hub = createStreamingFeatures({ srt: 2 });
  const [one, two] = [await channel(hub, 'One'), await channel(hub, 'Two')];
  const input = (await hub.post('input/source/add', { name: 'In', config: srt(9000) })).id;
  const other = (await hub.post('input/source/add', { name: 'Other', config: udp })).id;
  for (const id of [one, two]) expect(await hub.post('channel/input/set', { id, input })).toMatchObject({ result: 0 });
  await output(hub, 'A', srt(9001), one);
  expect(countUse(hub.db)).toEqual({ channels: 2, outputs: 1, srt: 2, devices: 0 });
  expect(await hub.post('output/add', { name: 'B', config: srt(9002), channel: one })).toMatchObject(refusal('srt', 2));
  const b = await output(hub, 'B', udp, one);
  expect(await hub.post('output/set', { id: b, config: srt(9002) })).toMatchObject(refusal('srt', 2));
  await hub.post('channel/input/set', { id: two, input: other });
  expect(await hub.post('input/source/set', { id: other, config: srt(9003) })).toMatchObject(refusal('srt', 2));
  expect(hub.channels.totals()).toMatchObject({ srt: { 'used-num': 2, 'limit-num': 2 }, output: { 'enable-num': 2 } });
});

test('use beyond a reduced license continues, and can only shrink', async () => {
  const hub = createStreamingFeatures({ channels: 0 });
  hub.db.$client.run(`INSERT INTO channels (name, enabled, play_key, push_key, allow_rtmp, allow_srt, allow_ndi_hx,
    preferred_protocol, created_at) VALUES ('One', 1, 'p', 'q', 1, 1, 0, 1, 0), ('Two', 1, 'r', 's', 1, 1, 0, 1, 0)`);
  const { list } = await hub.get('channel/dashboard');
  hub.channels.applyDesired();
  expect(list).toEqual([]);
  const [{ id }] = (await hub.get('channel/dashboard')).list;
  expect(await hub.post('channel/set', { id, name: 'Renamed' })).toMatchObject({ result: 0 });
  expect(await hub.post('channel/enable', { id, enable: false })).toEqual({ result: 0 });
  expect(await hub.post('channel/enable', { id, enable: true })).toMatchObject(refusal('channels', 0, 1));
});
