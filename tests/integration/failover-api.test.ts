/** A backup input and a slate in the API: configured, switched, reported as alarms, shown. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Alarm } from '../../daemon/contract/alarms.ts';
import type { Channel } from '../../daemon/contract/channels.ts';
import { pngOf } from '../fixtures/pictures.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, picture, publish } from './live-media.ts';

setDefaultTimeout(120_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterEach(killAll);
afterAll(() => hub.stop());

/** Mean brightness of the current picture of a player, 0 to 255. */
async function brightness(url: string): Promise<number> {
  const child = Bun.spawn(
    [
      ...['ffmpeg', '-nostdin', '-v', 'error', '-i', url, '-frames:v', '1', '-vf', 'scale=1:1:flags=area'],
      ...['-pix_fmt', 'gray', '-f', 'rawvideo', '-'],
    ],
    { stdout: 'pipe', stderr: 'ignore' },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  const [pixel = -1] = new Uint8Array(await new Response(child.stdout).arrayBuffer());
  clearTimeout(timer);
  return pixel;
}

test('a backup takes over, is reported as an alarm, and a slate is shown when both inputs are lost', async () => {
  const port = leasePort();
  const config = { type: 1, url: `udp://127.0.0.1:${port}` };
  const { id: backup } = await hub.api<{ id: number }>('/api/input/source/add', { name: 'Spare', config });
  const keys = { 'push-key': 'failover-push', 'play-key': 'failover-play' };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: 'Studio', config: keys });
  const view = () => hub.api<Channel>(`/api/channel/query?id=${id}`);
  const isOn = async (role: string) => {
    const { input, state } = await view();
    return input.role === role && state === (role === 'slate' ? 'slate' : 'live');
  };
  const untilOn = (role: string) => until(() => isOn(role), 30_000, `the channel is on ${role}`);
  const active = async (kind: string) => {
    const { list } = await hub.api<{ list: Alarm[] }>(`/api/alarm/list?channel=${id}`);
    return list.find((alarm) => alarm.kind === kind && alarm.cleared === 0) !== undefined;
  };

  const uploaded = await fetch(`${hub.url}/api/channel/slate/set?id=${id}`, {
    method: 'POST',
    body: pngOf(640, 360),
    headers: { ...hub.headers(), 'content-type': 'image/png' },
  });
  expect(await uploaded.json()).toMatchObject({ result: 0 });
  // Pauses of an encoder on a busy machine are not tested here.
  const failover = { back: 'stable', 'stable-s': 2, 'no-data-ms': 3000, 'no-video-ms': 5000, slate: 'picture' };
  await hub.api('/api/channel/input/set', { id, input: 0, backup, failover });

  const push = `rtmp://127.0.0.1:${hub.ports.rtmp}/live/failover-push`;
  const encoder = publish(push);
  await untilOn('main');
  expect(await hub.answer('/api/channel/input/switch', { id, to: 'backup' })).toMatchObject({ result: 38 });
  const spare = publish(`udp://127.0.0.1:${port}?pkt_size=1316`);
  await until(async () => (await view()).failover?.backup['conn-state'] === 10, 20_000, 'the backup is there');

  await hub.api('/api/channel/input/switch', { id, to: 'backup' });
  await untilOn('backup');
  expect((await view()).failover).toMatchObject({ active: 'backup', reason: 'operator', switches: 1 });
  await hub.api('/api/channel/input/switch', { id, to: 'main' });
  await untilOn('main');

  encoder.child.kill('SIGKILL');
  await untilOn('backup');
  expect(await view()).toMatchObject({
    input: { id: backup, name: 'Spare' },
    failover: { main: { id: 0 }, switches: 3 },
  });
  await until(() => active('on-backup'), 15_000, 'the alarm is raised');

  spare.child.kill('SIGKILL');
  await untilOn('slate');
  expect((await view()).input.media?.video).toMatchObject({ width: picture.width, height: picture.height });
  await until(() => active('on-slate'), 15_000, 'the other alarm is raised');
  expect(await active('no-input')).toBe(false);
  // The image is a plain gray of 0x60; in video range it is slightly brighter.
  const seen = await brightness(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/failover-play`);
  expect(Math.abs(seen - 0x60)).toBeLessThan(12);

  publish(push);
  await untilOn('main');
  await until(async () => !(await active('on-slate')) && !(await active('on-backup')), 20_000, 'both are cleared');
});
