/** A call that makes a change returns once the change is in effect, so that a client can rely on it at once. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { isBound } from '../support/bound-port.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish } from './live-media.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterAll(async () => {
  await killAll();
  await hub.stop();
});

const isApplied = async (id: number) => (await hub.api<{ applied: boolean }>(`/api/channel/query?id=${id}`)).applied;

/** Adds a channel while that process is stopped; resolves when the hub has stored the channel. */
async function addWhile(pid: number, key: string) {
  process.kill(pid, 'SIGSTOP');
  const config = { 'push-key': key, enable: true };
  let isAnswered = false;
  const adding = hub.api<{ id: number }>('/api/channel/add', { name: key, config });
  void adding.then(() => {
    isAnswered = true;
  });
  // By then, the hub has also sent the new state to the engine.
  const isStored = async () =>
    (await hub.api<{ list: { name: string }[] }>('/api/channel/dashboard')).list.some(({ name }) => name === key);
  await until(isStored, 10_000, 'the channel is stored');
  return { adding, wasAnswered: () => isAnswered };
}

for (const part of ['engine', 'SRT endpoint'] as const) {
  test(`adding a channel returns once the ${part} knows its key, so that its encoder is accepted`, async () => {
    const pid = part === 'engine' ? await hub.enginePid() : await hub.endpointPid('srt');
    const key = `applied-push-${part.length}`;
    const { adding, wasAnswered } = await addWhile(pid, key);
    const wasEarly = wasAnswered();
    process.kill(pid, 'SIGCONT');
    const { id } = await adding;
    expect(wasEarly).toBe(false);
    expect(await isApplied(id)).toBe(true);
    const encoder = publish(`srt://127.0.0.1:${hub.ports.srt}?mode=caller&streamid=${key}&pkt_size=1316`);
    const isLive = async () => (await hub.api<{ state: string }>(`/api/channel/query?id=${id}`)).state === 'live';
    await until(isLive, 20_000, `the channel is live\n${encoder.stderr()}`);
    await encoder.stop();
  });
}

test('a move of the SRT port returns once it is open, and can be undone while an encoder uses the old one', async () => {
  const { srt: old } = hub.ports;
  const moved = leasePort();
  const push = 'applied-push-move';
  const config = { 'push-key': push, enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: push, config });
  const isLive = async () => (await hub.api<{ state: string }>(`/api/channel/query?id=${id}`)).state === 'live';
  const encoder = publish(`srt://127.0.0.1:${old}?mode=caller&streamid=${push}&pkt_size=1316`);
  await until(isLive, 20_000, `the channel is live\n${encoder.stderr()}`);
  for (let turn = 0; turn < 5; turn++) {
    await hub.api('/api/settings/set', { srt: { port: moved } });
    expect(isBound('udp', moved)).toBe(true);
    await hub.api('/api/settings/set', { srt: { port: old } });
  }
  expect(await isLive()).toBe(true);
  await encoder.stop();
  // Without a connection, the port that is left closes at once.
  await hub.api('/api/settings/set', { srt: { port: moved } });
  await hub.api('/api/settings/set', { srt: { port: old } });
  expect(isBound('udp', old)).toBe(true);
});

test('an engine that does not answer delays a call only briefly', async () => {
  const pid = await hub.enginePid();
  const { adding } = await addWhile(pid, 'push-delayed');
  const { id } = await adding;
  expect(await isApplied(id)).toBe(false);
  process.kill(pid, 'SIGCONT');
  await until(() => isApplied(id), 10_000, 'the engine applies the change');
});
