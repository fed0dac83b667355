/** NDI without its runtime: settings are stored; connections, and the hub while NDI is used, report what is missing. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Channel } from '../../daemon/contract/channels.ts';
import { connectionStates, protocolBits, sourceStates } from '../../daemon/contract/streams.ts';
import type { SystemStatus } from '../../daemon/contract/system.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish } from './live-media.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({ env: { NDI_RUNTIME_DIR_V6: '/nowhere/ndi' } });
  await hub.login();
});
afterAll(async () => {
  await killAll();
  await hub.stop();
});

const view = (id: number) => hub.api<Channel>(`/api/channel/query?id=${id}`);
const ndiPart = async () => {
  const { status } = await hub.api<{ status: SystemStatus }>('/api/system/status');
  return status.system.parts.find(({ name }) => name === 'ndi');
};

test('a channel with an NDI input or output reports that the runtime is missing, and where it was searched', async () => {
  expect(await ndiPart()).toBeUndefined();
  const config = { 'push-key': 'ndi-push', 'play-key': 'ndi-play', enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: 'NDI', config });
  const target = { ndi: { name: 'On air', groups: 'News' } };
  const added = { name: 'To the studio', config: target, channel: id };
  const { id: output } = await hub.api<{ id: number }>('/api/output/add', added);
  await hub.api('/api/channel/output/enable', { id, output, enable: true });
  publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/ndi-push`);
  const outputOf = async () => (await view(id)).outputs.list[0];
  await until(async () => (await outputOf())?.reason === 'partMissing', 15_000, 'the output says what is missing');
  expect(await outputOf()).toMatchObject({
    ...{ protocol: protocolBits.ndi, mode: 'ndi', addr: 'ndi://On air' },
    ...{ state: sourceStates.failed, 'conn-state': connectionStates.creationFailed },
  });
  const part = await ndiPart();
  expect(part).toMatchObject({ ok: false, reason: 'missing' });
  expect(part?.message).toContain('/nowhere/ndi');

  const source = { ndi: { name: 'STUDIO (Cam 1)', 'extra-ips': '192.0.2.4', 'low-bandwidth': true } };
  const { id: input } = await hub.api<{ id: number }>('/api/input/source/add', { name: 'Cam 1', config: source });
  await hub.api('/api/channel/input/set', { id, input });
  const inputOf = async () => (await view(id)).input;
  await until(async () => (await inputOf()).reason === 'partMissing', 15_000, 'the input says what is missing');
  expect(await inputOf()).toMatchObject({ protocol: protocolBits.ndi, state: sourceStates.failed });
  expect((await view(id)).state).toBe('failed');

  await hub.api('/api/channel/enable', { id, enable: false });
  await until(async () => (await ndiPart()) === undefined, 20_000, 'the NDI part is no longer needed');
});

test('a channel offered as an NDI source reports it without any input, until it is switched off', async () => {
  const ndi = { enable: true, group: 'News', 'transport-mode': 1, 'mcast-ip': '239.9.0.0' };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: 'Offered', config: { ndi } });
  await until(async () => (await view(id)).ndi?.reason === 'partMissing', 15_000, 'the switch says what is missing');
  expect((await view(id)).ndi).toMatchObject({ name: 'Offered', 'conn-state': connectionStates.creationFailed });
  expect(await ndiPart()).toMatchObject({ ok: false, reason: 'missing' });
  // It does not count as an output of the channel or the hub.
  expect((await view(id)).outputs.total).toBe(0);
  await hub.api('/api/channel/set', { id, config: { ndi: { enable: false } } });
  await until(async () => (await ndiPart()) === undefined, 20_000, 'the NDI part is no longer needed');
  expect((await view(id)).config.ndi).toMatchObject({ enable: false, group: 'News', 'mcast-ip': '239.9.0.0' });
  expect(await view(id)).not.toHaveProperty('ndi');
});
