/** Channels, inputs and outputs through the real hub over HTTP, and what is left after it was killed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Channel } from '../../daemon/contract/channels.ts';
import type { Input } from '../../daemon/contract/inputs.ts';
import type { Operation } from '../../daemon/contract/logs.ts';
import type { Output } from '../../daemon/contract/outputs.ts';
import { markProcess } from '../../daemon/process/process-mark.ts';
import { until, untilSeen, usualMs } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterAll(() => hub.stop());

const add = async (path: string, body: object): Promise<number> => (await hub.api<{ id: number }>(path, body)).id;
const view = (id: number) => hub.api<Channel>(`/api/channel/query?id=${id}`);
const channels = async () => (await hub.api<{ list: Channel[] }>('/api/channel/dashboard?count=1000')).list;
const outputs = async () => (await hub.api<{ list: Output[] }>('/api/output/list?count=1000')).list;
const inputs = async () => (await hub.api<{ list: Input[] }>('/api/input/source/list?count=1000')).list;
const untilView = (id: number, holds: (channel: Channel) => boolean, what: string) =>
  untilSeen(() => view(id), holds, usualMs, what);

test('a channel is created, changed, used and deleted', async () => {
  const id = await add('/api/channel/add', { name: 'Studio' });
  await untilView(id, ({ applied, state }) => applied && state === 'waiting', 'the engine took it over');
  expect((await view(id)).config['push-key']).toStartWith('PUSH-');

  const input = await add('/api/input/source/add', { name: 'Cam', config: { type: 1, url: 'udp://127.0.0.1:40404' } });
  await hub.api('/api/channel/input/set', { id, input });
  await untilView(
    id,
    ({ input: connection }) => connection.id === input && connection['conn-state'] !== 0,
    'the input listens',
  );

  const config = { type: 1, url: 'udp://127.0.0.1:40405' };
  const output = await add('/api/output/add', { name: 'Lobby', config, channel: id });
  await untilView(id, ({ applied, outputs: { list } }) => applied && list[0]?.reason === 'noInput', 'the output waits');
  await hub.api('/api/channel/output/enable', { id, output, enable: false });
  await untilView(id, ({ outputs: { list } }) => list[0]?.reason === 'switchedOff', 'the output is off');
  expect(await hub.answer('/api/output/del', { id: output })).toMatchObject({ result: 1005 });
  await hub.api('/api/channel/output/del', { id, output });
  await hub.api('/api/output/del', { id: output });

  await hub.api('/api/channel/enable', { id, enable: false });
  await untilView(id, ({ state }) => state === 'disabled', 'the channel is off');
  await hub.api('/api/channel/del', { id });
  await hub.api('/api/input/source/del', { id: input });
  expect(await hub.answer(`/api/channel/query?id=${id}`)).toMatchObject({ result: 16 });

  const { list } = await hub.api<{ list: Operation[] }>('/api/log/list');
  expect(list.map(({ action }) => action).slice(0, 4)).toEqual([
    'input.del',
    'channel.del',
    'channel.enable',
    'output.del',
  ]);
  expect(list[0]).toMatchObject({ user: 'Admin', ip: '127.0.0.1', detail: 'Cam', result: 0 });
});

test('the engine provides the history of a channel', async () => {
  const id = await add('/api/channel/add', { name: 'History' });
  await untilView(id, ({ applied }) => applied, 'the engine took it over');
  const { history } = await hub.api<{ history: { 'step-s': number } }>(`/api/channel/query?id=${id}&history=1`);
  expect(history['step-s']).toBe(1);
  const { network } = await hub.api<{ network: { 'mbps-m': unknown[] } }>('/api/channel/dashboard?history=1');
  expect(network['mbps-m']).toHaveLength(60);
  await hub.api('/api/channel/del', { id });
});

test('a state change is pushed on the event stream', async () => {
  const id = await add('/api/channel/add', { name: 'Pushed' });
  const listening = new AbortController();
  const response = await fetch(`${hub.url}/api/events?topics=channels`, {
    headers: hub.headers(),
    signal: listening.signal,
  });
  const heard = { text: '' };
  const reading = (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) heard.text += part;
  })().catch(() => {});
  await until(() => heard.text.includes('event: init') && heard.text.includes('"Pushed"'), 20_000, 'init came');
  await hub.api('/api/channel/enable', { id, enable: false });
  await until(() => /event: change.*"state":"disabled"/s.test(heard.text), 20_000, 'the change came');
  await hub.api('/api/channel/del', { id });
  await until(() => heard.text.includes(`"removed":[${id}]`), 20_000, 'the removal came');
  listening.abort();
  await reading;
});

describe('the hub, killed with -9 while it works,', () => {
  test('still has everything that it acknowledged, exactly once and complete', async () => {
    const secret = 'correct horse battery';
    const srt = { mode: 'caller', host: '127.0.0.1', port: 9, latency: 120, passphrase: secret } as const;
    const acknowledged: { channel: number; output: number; input: number; name: string }[] = [];
    let alive = true;
    const working = (async () => {
      for (let at = 0; alive; at++) {
        const name = `Work ${at}`;
        const channel = await add('/api/channel/add', { name });
        const output = await add('/api/output/add', { name, config: { type: 1, srt }, channel });
        const input = await add('/api/input/source/add', { name, config: { type: 1, url: 'udp://0.0.0.0:40406' } });
        await hub.api('/api/channel/enable', { id: channel, enable: false });
        acknowledged.push({ channel, output, input, name });
      }
    })().catch(() => {});
    await until(() => acknowledged.length >= 15, 20_000, 'some work is done');
    const engine = await hub.enginePid();
    await hub.kill('SIGKILL');
    alive = false;
    await working;
    await hub.restart();

    const [storedChannels, storedOutputs, storedInputs] = [await channels(), await outputs(), await inputs()];
    for (const { channel, output, input, name } of acknowledged) {
      expect(storedChannels.find(({ id }) => id === channel)).toMatchObject({ name, config: { enable: false } });
      expect(storedOutputs.find(({ id }) => id === output)).toMatchObject({
        name,
        'owner-o-d': channel,
        config: { srt: { 'passphrase-set': true, 'pb-key-len': 16 } },
      });
      expect(storedInputs.find(({ id }) => id === input)).toMatchObject({ name });
    }
    const newest = acknowledged.at(-1)!;
    const { list } = await hub.api<{ list: Operation[] }>('/api/log/list?count=1000');
    // Every stored object has its log entry, even if the client never got the response.
    const logged = list.filter(({ action }) => action === 'channel.add').map(({ detail }) => detail);
    expect(storedChannels.filter(({ name }) => !logged.includes(name))).toEqual([]);
    expect(new Set(logged).size).toBe(logged.length);
    expect(await hub.enginePid()).toBe(engine);
    await untilView(newest.channel, ({ applied }) => applied, 'the engine that went on has the state');
    expect(hub.logs()).not.toContain(secret);
  });

  test('after the engine is killed with -9 it restarts with the same state, and the hub stays up', async () => {
    const id = await add('/api/channel/add', { name: 'Survivor' });
    await untilView(id, ({ applied }) => applied, 'the engine took it over');
    const engine = await hub.enginePid();
    process.kill(engine, 'SIGKILL');
    await until(async () => (await hub.enginePid()) !== engine, 20_000, 'another engine runs');
    await untilView(id, ({ applied, state }) => applied && state === 'waiting', 'the new engine has the state');
  });
});

test('a clean stop of the hub also stops the engine', async () => {
  const engine = await hub.enginePid();
  expect(await hub.kill('SIGTERM')).toBe(0);
  expect(markProcess(engine)).toBeUndefined();
  await hub.restart();
  expect((await channels()).length).toBeGreaterThan(0);
});
