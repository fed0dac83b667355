import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { runExportPath } from '../../contract/calls.ts';
import type { InputRole, SwitchReason } from '../../contract/failover.ts';
import { limits } from '../../contract/limits.ts';
import type { RunEvent } from '../../contract/run-history.ts';
import { connectionStates as conn, sourceStates } from '../../contract/streams.ts';
import { createLog } from '../../lib/log.ts';
import type { ChannelStatus, ConnectionReason } from '../../media/protocol/reported.ts';
import { runEvents } from '../../store/schema.ts';
import { createRunRecorder, type RunRecorder } from './recorder.ts';

import { insertRunEvents, trimRunEvents } from './store.ts';

let hub: StreamingFeatures;
let recorder: RunRecorder;
let id: number;
let output: number;
let now = 1_700_000_000_000;

function begin(): RunRecorder {
  const { channels, media, db } = hub;
  const next = createRunRecorder({
    ...{ db, log: createLog('error'), now: () => now, media: media.status },
    ...{ channels: channels.runViews, switchedBy: channels.switchedBy, onChange: channels.onChange },
  });
  next.start();
  return next;
}

beforeEach(async () => {
  hub = createStreamingFeatures();
  recorder = begin();
  id = (await hub.post('channel/add', { name: 'One' })).id;
  const config = { udp: { host: '192.0.2.1', port: 5000 } };
  output = (await hub.post('output/add', { name: 'Out', config, channel: id })).id;
});
afterEach(() => recorder.close());

type State = readonly [state: number, reason?: ConnectionReason];
function connection([state, reason]: State) {
  return { conn: state, state: sourceStates.running, kbps: 0, bytes: 0, since: 0, ...(reason && { reason }) };
}
function report(input: State, out: State): void {
  const status: ChannelStatus = {
    ...{ id, clients: [] },
    input: { ...connection(input), protocol: 'srt', peer: '192.0.2.7', reconnects: 0 },
    outputs: [{ ...connection(out), id: output, reconnects: 0, skipped: 0 }],
  };
  hub.media.report({ channels: [status] });
}
/** The transitions stored after the recorder has written. */
async function transitions(query = ''): Promise<string[]> {
  recorder.close();
  recorder = begin();
  const { list } = await hub.get(`channel/events?id=${id}${query}`);
  return list.map((one: Record<string, string>) => `${one.what} ${one.from}>${one.to} ${one.reason ?? ''}`.trim());
}

test('every change is stored with its reason, the newest first', async () => {
  report([conn.connected], [conn.connected]);
  now += 5000;
  report([conn.disconnected, 'closedByPeer'], [conn.waiting, 'noInput']);
  expect((await transitions()).slice(0, 3)).toEqual([
    'output connected>waiting noInput',
    'input connected>disconnected closedByPeer',
    'channel live>waiting closedByPeer',
  ]);
  const { list } = await hub.get(`channel/events?id=${id}&what=output&count=1`);
  expect(list).toMatchObject([{ time: now, name: 'Out', 'output-id': output }]);
});

test('an attempt that ends like the previous one is not recorded', async () => {
  for (let attempt = 0; attempt < 5; attempt++) {
    report([conn.connected], [conn.connecting]);
    report([conn.connected], [conn.refused, 'refused']);
  }
  report([conn.connected], [conn.connecting]);
  report([conn.connected], [conn.connected]);
  expect((await transitions('&what=output')).slice(0, 2)).toEqual([
    'output refused>connected',
    'output waiting>refused refused',
  ]);
});

test('a connection without data is recorded only if that lasts', async () => {
  report([conn.waitingForData, 'noData'], [conn.waiting, 'noInput']);
  now += 1000;
  report([conn.connected], [conn.waiting, 'noInput']);
  expect((await transitions('&what=input'))[0]).toBe('input waiting>connected');
  report([conn.waitingForData, 'noData'], [conn.waiting, 'noInput']);
  now += 3000;
  report([conn.waitingForData, 'noData'], [conn.waiting, 'noInput']);
  expect((await transitions('&what=input'))[0]).toBe('input connected>waitingForData noData');
});

test('states that follow each other at once are each recorded', async () => {
  report([conn.connected], [conn.connected]);
  report([conn.connected], [conn.disconnected, 'closedByPeer']);
  report([conn.connected], [conn.connected]);
  expect((await transitions('&what=output')).slice(0, 2)).toEqual([
    'output disconnected>connected',
    'output connected>disconnected closedByPeer',
  ]);
});

test('a state is known since it began, through other reasons, attempts and a restart', () => {
  const outputSince = () => recorder.since(id, 'output', output);
  expect(outputSince()).toBeUndefined();
  report([conn.connected], [conn.refused, 'refused']);
  const began = now;
  now += 1000;
  report([conn.connected], [conn.connecting]);
  now += 1000;
  report([conn.connected], [conn.refused, 'timeout']);
  expect(outputSince()).toBe(began);
  report([conn.connected], [conn.connected]);
  expect(outputSince()).toBe(now);
  recorder.close();
  recorder = begin();
  expect(outputSince()).toBe(now);
});

test('a restarted hub continues where it was', async () => {
  report([conn.connected], [conn.connected]);
  const before = await transitions();
  hub.media.report({ engine: 'starting', applied: false, channels: [] });
  recorder.close();
  recorder = begin();
  hub.media.report({ engine: 'starting' });
  hub.media.report({ engine: 'running' });
  report([conn.connected], [conn.connected]);
  hub.media.report({ applied: true });
  expect(await transitions()).toEqual(before);
});

test('an engine that goes down is recorded, one that has not applied a change yet is not', async () => {
  report([conn.connected], [conn.connected]);
  hub.media.report({ applied: false });
  report([conn.waiting], [conn.waiting]);
  hub.media.report({ engine: 'down', channels: [] });
  expect((await transitions('&what=channel'))[0]).toBe('channel live>engineDown engineDown');
});

test('a state is recorded while the engine applies a change to something else', async () => {
  report([conn.connected], [conn.connected]);
  hub.media.report({ applied: false });
  report([conn.connected], [conn.disconnected, 'closedByPeer']);
  report([conn.connected], [conn.connected]);
  hub.media.report({ applied: true });
  expect((await transitions('&what=output')).slice(0, 2)).toEqual([
    'output disconnected>connected',
    'output connected>disconnected closedByPeer',
  ]);
});

/** A channel with a backup, of which this is on air. */
function reportOnAir(active: InputRole, switchReason: SwitchReason, isLost = false): void {
  const at = isLost ? connection([conn.waiting, 'noInput']) : connection([conn.connected]);
  const input = { ...at, protocol: 'srt', peer: '', reconnects: 0 } as const;
  const failover = { active, main: input, backup: input, switchedAt: now, switchReason, switches: 1 };
  hub.media.report({ channels: [{ ...{ id, input, failover }, outputs: [], clients: [] }] });
}

async function switches() {
  await transitions();
  const { list } = await hub.get(`channel/events?id=${id}&what=switch`);
  return list.map(({ from, to, name, reason, by, 'after-ms': after }: RunEvent) => [from, to, name, reason, after, by]);
}

test('switches between the inputs are recorded: why, after how long, and who made them', async () => {
  const srt = { mode: 'caller', host: '192.0.2.9', port: 9000, latency: 120 };
  const { id: backup } = await hub.post('input/source/add', { name: 'Spare', config: { type: 1, srt } });
  const failover = { 'no-data-ms': 400, 'stable-s': 3 };
  await hub.post('channel/input/set', { id, input: 0, backup, failover });
  reportOnAir('main', 'none');
  expect(await switches()).toEqual([]);
  reportOnAir('backup', 'noData');
  reportOnAir('slate', 'ended');
  // Without any input nothing is on air, which is not a switch.
  reportOnAir('slate', 'ended', true);
  reportOnAir('main', 'stable');
  hub.media.reply = { what: 'done' };
  await hub.post('channel/input/switch', { id, to: 'backup' });
  reportOnAir('backup', 'operator');
  expect(await switches()).toEqual([
    ['main', 'backup', 'Spare', 'operator', undefined, 'Admin'],
    ['slate', 'main', '', 'stable', 3000, undefined],
    ['backup', 'slate', '', 'ended', undefined, undefined],
    ['', 'backup', 'Spare', 'noData', 400, undefined],
  ]);
  expect(await transitions('&what=channel')).toEqual([
    'channel waiting>live',
    'channel slate>waiting noInput',
    'channel live>slate',
    'channel waiting>live',
  ]);
});

test('the history can be downloaded as a table', async () => {
  report([conn.connected], [conn.refused, 'refused']);
  await transitions();
  const answer = await hub.raw(`${runExportPath.slice(5)}?id=${id}`);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const time = new Date(now).toISOString();
  expect((await answer.text()).split('\r\n')).toEqual([
    '\ufeffTime,Part,Name,From,To,Reason,After (ms),By',
    `${time},output,Out,waiting,refused,refused,,`,
    expect.stringContaining(',input,192.0.2.7,'),
    expect.stringContaining(',channel,One,'),
    '',
  ]);
  expect((await hub.raw(`${runExportPath.slice(5)}?id=1`)).status).toBe(404);
});

test('pages follow each other without a gap', async () => {
  report([conn.connected], [conn.connected]);
  report([conn.waiting], [conn.waiting]);
  const all = await transitions();
  const first = await hub.get(`channel/events?id=${id}&count=2`);
  const second = await hub.get(`channel/events?id=${id}&count=1000&cursor=${first.next}`);
  expect(first.list).toHaveLength(2);
  expect(second.next).toBeUndefined();
  expect(second.list).toHaveLength(all.length - 2);
  expect(await hub.get('channel/events?id=1')).toMatchObject({ result: 16 });
  expect(await hub.get(`channel/events?id=${id}&what=nothing`)).toMatchObject({ result: 7 });
});

test('the history of a channel is limited in number and age, and is deleted with the channel', async () => {
  report([conn.connected], [conn.connected]);
  await transitions();
  const row = {
    channelId: id,
    what: 'channel',
    outputId: 0,
    name: 'One',
    fromState: '',
    toState: 'live',
    ...{ reason: '', by: '', afterMs: 0 },
  } as const;
  const many = Array.from({ length: limits.runEvents + 5 }, () => ({ ...row, time: now }));
  insertRunEvents(hub.db, many);
  trimRunEvents(hub.db, id, limits.runEvents);
  expect(hub.db.select().from(runEvents).all()).toHaveLength(limits.runEvents);
  now += (limits.runEventDays + 1) * 86_400_000;
  expect(await transitions()).toEqual([]);
  insertRunEvents(hub.db, [{ ...row, time: now }]);
  await hub.post('channel/del', { id });
  insertRunEvents(hub.db, [{ ...row, time: now }]);
  expect(hub.db.select().from(runEvents).all()).toEqual([]);
});
