import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../tests/support/until.ts';
import { listenersAreKnown } from './port.ts';
import {
  channel,
  cleanUp,
  desired,
  folder,
  isRunning,
  leaveEngine,
  openPort,
  received,
  socketExists,
} from './port-rig-for-test.ts';
import type { EnginePart } from './protocol/reported.ts';

setDefaultTimeout(30_000);

afterEach(cleanUp);

test('a missing part that the engine reported before the hub listened is in the log of the hub', async () => {
  const { port, lines } = openPort(folder(), 'crippled');
  await isRunning(port);
  expect(port.status().parts.map(({ ok }) => ok)).toEqual([true, false]);
  expect(lines.filter((line) => line.includes('error media: FFmpeg was not found'))).toHaveLength(1);
});

test('a started engine gets the desired state, and its status is reported', async () => {
  const { port } = openPort(folder());
  expect(port.status().engine).toBe('starting');
  port.apply(desired);
  await until(() => port.status().applied);
  expect(port.status().engine).toBe('running');
  expect([...port.status().channels.keys()]).toEqual([7]);
  expect(port.status().parts).toEqual([{ name: 'rtmp', ok: true, port: 1935 }]);
  port.apply({ ...desired, channels: [] });
  expect(port.status().applied).toBe(false);
  await until(() => port.status().applied);
  expect(port.status().channels.size).toBe(0);
});

test('with port 0, the next engine opens the same port as the one before', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  const anyPorts = { ...desired.settings, rtmpPort: 0, hlsPort: 0 };
  port.apply({ ...desired, settings: anyPorts });
  await until(() => port.status().applied);
  const { pid } = port.status();
  process.kill(pid, 'SIGKILL');
  await until(() => port.status().pid !== pid && port.status().applied);
  expect(port.ports()).toEqual({ rtmp: 1935, srt: 0, hls: 0 });
  const sent = received(dataDir).findLast((line) => line.type === 'desired')?.state?.settings;
  expect(sent).toEqual({ ...anyPorts, rtmpPort: 1935 });
});

test('an unchanged state is not sent again', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  port.apply(desired);
  await until(() => port.status().applied);
  port.apply(structuredClone(desired));
  expect(port.status().applied).toBe(true);
  await port.request({ what: 'history', channelId: 7 }, 1000);
  expect(received(dataDir).map((line) => line.type)).toEqual(['desired', 'request']);
});

test('subscribers get changes until they leave', async () => {
  const { port } = openPort(folder());
  let calls = 0;
  const leave = port.onChange(() => calls++);
  await isRunning(port);
  expect(calls).toBeGreaterThan(0);
  leave();
  calls = 0;
  port.apply(desired);
  await until(() => port.status().applied);
  expect(calls).toBe(0);
});

test('the listeners are settled once each is open or has failed, or when there is no engine', () => {
  const open = (name: EnginePart['name']): EnginePart => ({ name, ok: true, port: 1 });
  const parts = [open('rtmp'), open('ffmpeg'), open('srt')];
  const failed: EnginePart = { name: 'hls', ok: false, reason: 'portOccupied' };
  expect(listenersAreKnown({ engine: 'running', parts })).toBe(false);
  expect(listenersAreKnown({ engine: 'running', parts: [...parts, failed] })).toBe(true);
  expect(listenersAreKnown({ engine: 'starting', parts: [] })).toBe(false);
  expect(listenersAreKnown({ engine: 'down', parts: [] })).toBe(true);
});

test('the state that an adopted engine still has from another hub does not count as applied', async () => {
  const dataDir = folder();
  leaveEngine(dataDir);
  await socketExists(dataDir);
  const first = openPort(dataDir).port;
  first.apply(desired);
  await until(() => first.status().applied);
  const second = openPort(dataDir).port;
  await until(() => second.status().channels.size === 1);
  expect(second.status().applied).toBe(false);
});

test('an engine that breaks the protocol is disconnected, and its channels are forgotten', async () => {
  const { port, lines } = openPort(folder(), 'garbled', { firstBackoffMs: 10_000 });
  await until(() => port.status().engine === 'down');
  expect(lines.some((line) => line.includes('a line that is no JSON'))).toBe(true);
  expect(port.status().channels.size).toBe(0);
});

test('a request is answered, one without an answer times out', async () => {
  const { port } = openPort(folder());
  await isRunning(port);
  expect(await port.request({ what: 'history', channelId: 7 }, 1000)).toMatchObject({
    what: 'history',
    history: { in: [null, 1000], out: [null, 2000] },
  });
  const never = port.request({ what: 'disconnect', channelId: 7, clientId: 1 }, 30);
  await expect(never).rejects.toMatchObject({ kind: 'timeout' });
});

test('requests are refused while the engine is down or too many wait, and fail when it dies', async () => {
  const { port } = openPort(folder());
  await expect(port.request({ what: 'history', channelId: 1 }, 1000)).rejects.toMatchObject({ kind: 'down' });
  await isRunning(port);
  const ask = () => port.request({ what: 'disconnect', channelId: 7, clientId: 1 }, 5000).catch((error) => error.kind);
  const waiting = Array.from({ length: 64 }, ask);
  expect(await ask()).toBe('busy');
  process.kill(port.status().pid, 'SIGKILL');
  expect(await Promise.all(waiting)).toEqual(Array(64).fill('down'));
});

test('an engine that does not read gets only the newest state afterwards, and memory stays bounded', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  await isRunning(port);
  const { pid } = port.status();
  process.kill(pid, 'SIGSTOP');
  const name = 'x'.repeat(1_000_000);
  for (let id = 1; id <= 50; id++) {
    port.apply({ ...desired, channels: [{ ...channel, id, name }] });
    await delay(1);
  }
  process.kill(pid, 'SIGCONT');
  await until(() => port.status().applied && port.status().channels.has(50));
  const states = received(dataDir).filter((line) => line.type === 'desired');
  expect(states.length).toBeLessThan(5);
});
