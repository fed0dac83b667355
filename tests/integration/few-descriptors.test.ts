/** A hub with a low limit of open files, and more players than that. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import type { Socket } from 'bun';
import type { Alarm } from '../../daemon/contract/alarms.ts';
import type { SystemStatus } from '../../daemon/contract/system.ts';
import { until } from '../support/until.ts';
import { fileIn, inspect, killAll, publish, record, untilRecorded } from './live-media.ts';
import { openRigHub } from './rig-hub.ts';
import { timeDivisor } from './scaled-timing.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(120_000);

const stage = openRigHub({ name: 'descriptors', timeDivisor, openFiles: 256 });
const players = 400;
const open = new Set<Socket>();
const endAll = () => {
  for (const socket of open) socket.terminate();
};
afterEach(killAll);
afterAll(endAll);

interface Reader {
  status(): number;
  text(): string;
  bytes(): number;
  isOpen(): boolean;
}

/** Reads the channel as a transport stream, endlessly. */
async function read(url: string): Promise<Reader> {
  const { hostname, port, pathname, host } = new URL(url);
  let head = '';
  let bytes = 0;
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, part) {
        if (head.length < 500) head += part.toString('latin1');
        bytes += part.length;
      },
      close: (ended) => void open.delete(ended),
      error: () => undefined,
    },
  });
  open.add(socket);
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const status = () => Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0);
  return { status, text: () => head, bytes: () => bytes, isOpen: () => open.has(socket) };
}

const alarms = async (active: 0 | 1) =>
  (await stage.hub.api<{ list: Alarm[] }>(`/api/alarm/list?active=${active}`)).list.map(({ kind }) => kind);
const part = async () => {
  const { status } = await stage.hub.api<{ status: SystemStatus }>('/api/system/status');
  return status.system.parts.find(({ name }) => name === 'descriptors');
};

test('players are refused while few descriptors are left; encoders, connected players and the hub keep theirs', async () => {
  const channel = await stage.rig.addChannel();
  const second = await stage.rig.addChannel();
  publish(channel.push.rtmp);
  await channel.untilLive();
  const file = fileIn(stage.folder, 'through-the-flood.mkv');
  const early = record(channel.play.rtmp, file);
  await untilRecorded(file, 100_000, 20_000);
  const engine = await stage.hub.enginePid();

  const readers = await Promise.all(Array.from({ length: players }, () => read(channel.play.ts)));
  await until(() => readers.every((one) => one.status() !== 0), 30_000, 'every reader has an answer');
  const refused = readers.filter((one) => one.status() === 503);
  const served = readers.filter((one) => one.status() === 200);
  expect(refused.length + served.length).toBe(players);
  expect(served.length).toBeGreaterThan(20);
  for (const one of refused) expect(one.text()).toContain('few file descriptors left');
  await until(() => refused.every((one) => !one.isOpen()), 10_000, 'connections that were refused end');

  await until(async () => (await alarms(1)).includes('few-descriptors'), 20_000, 'an alarm is raised');
  expect(await part()).toMatchObject({ ok: false, reason: 'fewLeft' });
  expect((await part())?.message).toContain('LimitNOFILE');
  expect((await fetch(channel.play.hls)).status).toBe(503);
  for (const protocol of ['rtmp', 'srt'] as const) {
    const late = record(channel.play[protocol], fileIn(stage.folder, `late-${protocol}.mkv`), 3);
    expect([protocol, await late.exited]).not.toEqual([protocol, 0]);
  }
  publish(second.push.rtmp);
  await second.untilLive();

  const before = served.map((one) => one.bytes());
  const goOn = () => served.every((one, index) => one.isOpen() && one.bytes() > (before[index] ?? 0) + 100_000);
  await until(goOn, 30_000, 'those who were let in go on');
  expect(await stage.hub.enginePid()).toBe(engine);

  endAll();
  await until(async () => (await part()) === undefined, 20_000, 'there are descriptors again');
  await until(async () => !(await alarms(1)).includes('few-descriptors'), 20_000, 'the alarm is over');
  expect(await alarms(0)).toContain('few-descriptors');
  const late = await read(channel.play.ts);
  await until(() => late.status() === 200, 10_000, 'a player is let in');
  await early.stop();
  expectWhole(await inspect(file), 5);
  expect(await stage.hub.enginePid()).toBe(engine);
});
