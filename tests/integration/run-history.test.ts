/** The state history of a channel, with the license and its clients, on a real hub that is killed in between. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish, run } from './live-media.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
const small = { pictures: { size: '160x90', kbps: 200 } } as const;

beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_LICENSE_CHANNELS: '1' }, timeDivisor });
  await hub.login();
});
afterEach(killAll);
afterAll(() => hub.stop());

interface Event {
  what: string;
  name: string;
  from: string;
  to: string;
  reason?: string;
}
const events = async (id: number) =>
  (await hub.api<{ list: Event[] }>(`/api/channel/events?id=${id}`)).list.map(
    ({ what, from, to, reason = '' }) => `${what} ${from}>${to} ${reason}`,
  );
const clientsOf = async (id: number) =>
  (await hub.api<{ clients: { list: { id: number; addr: string }[] } }>(`/api/channel/query?id=${id}`)).clients.list;

test('killing the hub while a channel is live adds no false change; earlier and later changes are kept', async () => {
  const config = { 'push-key': 'kept-push', 'play-key': 'kept-play', enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: 'Kept', config });
  const target = { url: 'rtmp://127.0.0.1:9/live', key: 'k' };
  await hub.api('/api/output/add', { name: 'Closed', config: target, channel: id });
  const encoder = publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/kept-push`, small);
  const has = (desired: string) => until(async () => (await events(id)).includes(desired), 15_000, desired);
  await has('channel waiting>live ');
  await until(async () => (await events(id)).some((one) => /^output .*>\w+ refused$/.test(one)), 15_000, 'a refusal');
  const before = await events(id);

  await hub.kill('SIGKILL');
  await hub.restart();
  await until(
    async () => (await hub.api<{ state: string }>(`/api/channel/query?id=${id}`)).state === 'live',
    15_000,
    'live',
  );
  await encoder.stop();
  await until(async () => (await events(id))[0] !== before[0], 15_000, 'the end of the stream is told');
  await has('channel live>waiting closedByPeer');
  const after = await events(id);
  expect(after.filter((one) => one.startsWith('channel')).slice(1)).toEqual(
    before.filter((one) => one.startsWith('channel')),
  );
  await hub.api('/api/channel/del', { id });
});

test('a player is disconnected by a user, and the license refuses a second channel', async () => {
  const config = { 'push-key': 'cut-push', 'play-key': 'cut-play', enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: 'Cut', config });
  expect(await hub.answer('/api/channel/add', { name: 'Second' })).toMatchObject({
    result: 1006,
    params: { what: 'channels', limit: 1, used: 1 },
  });
  const rtmp = `rtmp://127.0.0.1:${hub.ports.rtmp}/live`;
  publish(`${rtmp}/cut-push`, small);
  const player = run(['ffmpeg', '-loglevel', 'error', '-i', `${rtmp}/cut-play`, '-c', 'copy', '-f', 'null', '-']);
  await until(async () => (await clientsOf(id)).length === 1, 15_000, 'a player watches');
  const [client] = await clientsOf(id);
  await hub.api('/api/channel/client/disconnect', { id, client: client?.id ?? 0 });
  await player.exited;
  await until(async () => (await clientsOf(id)).length === 0, 20_000, 'the player has left');
  const { list } = await hub.api<{ list: { action: string; detail: string }[] }>('/api/log/list?count=1');
  expect(list).toMatchObject([{ action: 'channel.disconnectClient', detail: `Cut: ${client?.addr}` }]);
});
