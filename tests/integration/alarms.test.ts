/** Alarms of a real hub: raised by what an encoder fails to send, cleared when it resumes, reported to a webhook. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Alarm, Webhook } from '../../daemon/contract/alarms.ts';
import { signatureOf } from '../../daemon/features/alarms/post-event.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish } from './live-media.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(90_000);

interface Event {
  readonly event: string;
  readonly alarm: Alarm;
}
interface Got extends Event {
  readonly isSigned: boolean;
  readonly status: number;
}

const secret = 'a secret of the test';
const got: Got[] = [];
const statuses: number[] = [];
const target = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const body = await request.text();
    const timestamp = request.headers.get('signalbox-timestamp') ?? '';
    const isSigned = request.headers.get('signalbox-signature') === signatureOf(secret, timestamp, body);
    const status = statuses.shift() ?? 200;
    got.push({ ...(JSON.parse(body) as Event), isSigned, status });
    return new Response(null, { status });
  },
});

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({ timeDivisor });
  await hub.login();
});
afterEach(killAll);
afterAll(async () => {
  await hub.stop();
  await target.stop(true);
});

const silent = { pictures: { size: '320x180', kbps: 400 } } as const;
const active = async () => (await hub.api<{ list: Alarm[] }>('/api/alarm/list?active=1')).list;
const received = (event: string, kind: string) => got.filter((one) => one.event === event && one.alarm.kind === kind);

test('missing audio is an alarm until audio returns, across a restart of the hub, and the webhook gets both events', async () => {
  const url = `http://127.0.0.1:${target.port}/hook`;
  await hub.api('/api/settings/set', { outgoing: { 'private-webhook': true } });
  await hub.api('/api/alarm/webhook/set', { enabled: true, url, secret });
  const { id } = await hub.api<{ id: number }>('/api/channel/add', {
    name: 'Studio',
    config: { 'push-key': 'studio-push' },
  });
  const push = `rtmp://127.0.0.1:${hub.ports.rtmp}/live/studio-push`;
  statuses.push(500);
  const withoutSound = publish(push, silent);
  await until(() => received('raised', 'no-audio').length === 2, 40_000, 'the alarm is told, refused and told again');
  expect(got.slice(0, 2).map(({ status }) => status)).toEqual([500, 200]);
  expect(got.every(({ isSigned }) => isSigned)).toBe(true);
  expect(await active()).toMatchObject([{ kind: 'no-audio', channel: id, name: 'Studio', threshold: 5, cleared: 0 }]);
  const [raised] = await active();

  await hub.kill('SIGKILL');
  await hub.restart();
  await hub.login();
  await withoutSound.stop();
  publish(push);
  await until(() => received('cleared', 'no-audio').length === 1, 40_000, 'the alarm is cleared');
  const { list } = await hub.api<{ list: Alarm[] }>(`/api/alarm/list?channel=${id}&active=0`);
  expect(list.filter(({ kind }) => kind === 'no-audio')).toMatchObject([{ id: raised?.id, raised: raised?.raised }]);
  expect(received('cleared', 'no-audio')[0]).toMatchObject({ isSigned: true, alarm: { id: raised?.id } });
  await until(async () => (await hub.api<Webhook>('/api/alarm/webhook')).waiting === 0, 10_000, 'nothing waits');
});

test('an engine that hangs is replaced, and an alarm shows when and why until the next one has run for a while', async () => {
  const since = Date.now();
  const engine = await hub.enginePid();
  const ofEngine = async () => (await active()).filter(({ kind }) => kind === 'engine-replaced');
  expect(await ofEngine()).toEqual([]);
  process.kill(engine, 'SIGSTOP');
  await until(async () => (await ofEngine()).length === 1, 30_000, 'the alarm is raised');
  const [alarm] = await ofEngine();
  expect(alarm).toMatchObject({ channel: 0, reason: 'hung', cleared: 0 });
  expect(alarm?.raised).toBeGreaterThanOrEqual(since);
  expect(await hub.enginePid()).not.toBe(engine);
  await until(async () => (await ofEngine()).length === 0, 40_000, 'the alarm is over');
  const { list } = await hub.api<{ list: Alarm[] }>('/api/alarm/list?active=0');
  expect(list).toContainEqual(expect.objectContaining({ id: alarm?.id, kind: 'engine-replaced', reason: 'hung' }));
  expect(received('raised', 'engine-replaced')).toMatchObject([{ alarm: { id: alarm?.id, reason: 'hung' } }]);
});
