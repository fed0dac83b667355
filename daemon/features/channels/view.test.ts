import { describe, expect, test } from 'bun:test';
import { Channel, type ChannelState } from '../../contract/channels.ts';
import { defaultFailover } from '../../contract/failover.ts';
import { defaultChannelNdi } from '../../contract/ndi.ts';
import { connectionStates as conn, sourceStates as state } from '../../contract/streams.ts';
import type {
  ChannelStatus,
  ClientStatus,
  ConnectionStatus,
  FailoverStatus,
  InputStatus,
  OutputStatus,
} from '../../media/protocol/reported.ts';
import type { StreamAddress } from '../../sources/stream-address.ts';
import type { ConfiguredChannel } from './configuration.ts';
import { type Live, stateOf, viewChannel } from './view.ts';

const srt: StreamAddress = {
  protocol: 'srt',
  mode: 'caller',
  host: 'h.example',
  port: 9000,
  latencyMs: 120,
  overheadPercent: 25,
  streamId: 'hidden-id',
  keyLength: 16,
  passphrase: 'hidden-phrase',
  maxConnections: 30,
};
const rtmp: StreamAddress = {
  protocol: 'rtmp',
  url: 'rtmps://live.example/app',
  key: 'hidden-key',
  username: 'me',
  password: 'hidden-word',
};
const udp = (host: string): StreamAddress => ({
  protocol: 'udp',
  host,
  port: 5000,
  ttl: 16,
  interface: '',
  source: '',
});

const now = 1_700_000_000_000;
const channel: ConfiguredChannel = {
  id: 7,
  name: 'Studio',
  revision: 1,
  enabled: true,
  playKey: 'play',
  pushKey: 'push',
  allowRtmp: true,
  allowSrt: false,
  allowNdiHx: false,
  preferredProtocol: 1,
  takeover: false,
  input: undefined,
  backup: undefined,
  failover: defaultFailover,
  slate: undefined,
  ndi: defaultChannelNdi,
  outputs: [
    { id: 1, name: 'A', enabled: true, address: srt },
    { id: 2, name: 'B', enabled: true, address: rtmp },
    { id: 3, name: 'C', enabled: false, address: udp('239.1.2.3') },
    { id: 4, name: 'D', enabled: true, address: udp('192.0.2.3') },
  ],
};
const flowing: ConnectionStatus = {
  conn: conn.connected,
  state: state.running,
  kbps: 6000,
  bytes: 1000,
  since: now - 65_500,
};
const idle: ConnectionStatus = { conn: conn.waiting, state: state.offline, kbps: 0, bytes: 0, since: 0 };
const input = (connection: ConnectionStatus, more: Partial<InputStatus> = {}): InputStatus => ({
  ...connection,
  protocol: 'rtmp',
  peer: '192.0.2.5:50000',
  reconnects: 2,
  ...more,
});
const status = (more: Partial<ChannelStatus> = {}): ChannelStatus => ({
  id: 7,
  input: input(flowing),
  outputs: [],
  clients: [],
  ...more,
});
const live = (more: Partial<Live> = {}): Live => ({
  isEngineRunning: true,
  isApplied: true,
  status: status(),
  lacksNdi: false,
  since: () => undefined,
  now,
  ...more,
});

describe('the state of a channel', () => {
  const withInput = (connection: ConnectionStatus) => live({ status: status({ input: input(connection) }) });
  const cases: [what: string, one: ConfiguredChannel, at: Live, expected: ChannelState][] = [
    ['switched off', { ...channel, enabled: false }, live(), 'disabled'],
    ['switched off without an engine', { ...channel, enabled: false }, live({ isEngineRunning: false }), 'disabled'],
    ['without an engine', channel, live({ isEngineRunning: false, status: undefined }), 'engineDown'],
    ['not reported yet', channel, live({ status: undefined }), 'waiting'],
    ['without a publisher', channel, withInput(idle), 'waiting'],
    ['connecting', channel, withInput({ ...idle, conn: conn.connecting, state: state.initializing }), 'waiting'],
    ['flowing', channel, withInput(flowing), 'live'],
    ['connected and silent', channel, withInput({ ...flowing, conn: conn.waitingForData }), 'stale'],
    ['refused', channel, withInput({ ...idle, conn: conn.refused, state: state.failed }), 'failed'],
    [
      'with a codec that cannot be',
      channel,
      withInput({ ...idle, conn: conn.failed, state: state.unsupported }),
      'failed',
    ],
  ];
  test.each(cases)('%s', (_, one, at, expected) => {
    expect(stateOf(one, at)).toBe(expected);
  });
});

test('a view matches the contract and contains no secret of an address', () => {
  const view = viewChannel(channel, live(), {});
  expect(Channel.parse(view)).toEqual(view);
  expect(JSON.stringify(view)).not.toContain('hidden');
});

test('a publisher is shown with its address, duration and figures', () => {
  const media = {
    container: 'flv',
    video: { codec: 'h264', width: 1920, height: 1080, fps: 30 },
    audio: { codec: 'aac', sampleRate: 48_000, channels: 2 },
  } as const;
  const view = viewChannel(channel, live({ status: status({ input: input(flowing, { media, ccErrors: 4 }) }) }), {});
  expect(view.input).toEqual({
    role: 'main',
    id: 0,
    name: '',
    type: 260,
    protocol: 1,
    addr: '192.0.2.5:50000',
    'conn-state': 10,
    state: 2,
    kbps: 6000,
    'total-bytes': 1000,
    'living-time-s': 65,
    media: {
      container: 'flv',
      video: { codec: 'h264', width: 1920, height: 1080, fps: 30 },
      audio: { codec: 'aac', 'sample-rate': 48_000, channels: 2 },
    },
    reconnects: 2,
    'cc-errors': 4,
  });
  expect(view).toMatchObject({ kbps: 6000, 'living-time-s': 65 });
});

test('a configured input is shown by its name and address, also before it is connected', () => {
  const fetched = { ...channel, input: { id: 1001, name: 'Camera', address: srt } };
  const view = viewChannel(fetched, live({ status: status({ input: input(idle, { protocol: '', peer: '' }) }) }), {});
  expect(view.input).toMatchObject({ id: 1001, name: 'Camera', type: 258, protocol: 2, addr: 'srt://h.example:9000' });
});

describe('a channel with a backup', () => {
  const slated = { ...defaultFailover, slate: 'bars' } as const;
  const backed: ConfiguredChannel = {
    ...channel,
    input: { id: 1001, name: 'Camera', address: srt },
    backup: { id: 1002, name: 'Spare', address: udp('239.1.2.9') },
    failover: slated,
  };
  const main = input(idle, { reconnects: 4 });
  const backup = input(flowing);
  const on = (active: FailoverStatus['active'], at: InputStatus) =>
    live({
      status: status({
        input: at,
        failover: {
          ...{ active, main, backup, switchedAt: now - 5000, switchReason: 'noData', switches: 3 },
          ...(active === 'backup' && { returnsAt: now + 7000 }),
        },
      }),
    });

  test('shows the active one, both inputs, and when and why it switched', () => {
    const view = viewChannel(backed, on('backup', backup), {});
    expect(Channel.parse(view)).toEqual(view);
    expect(view.state).toBe('live');
    expect(view.input).toMatchObject({ role: 'backup', id: 1002, name: 'Spare', protocol: 4, kbps: 6000 });
    expect(view.failover).toMatchObject({
      ...{ active: 'backup', 'switched-at': now - 5000, reason: 'noData', switches: 3, rule: slated },
      'returns-at': now + 7000,
      main: { role: 'main', id: 1001, name: 'Camera', kbps: 0, reconnects: 4 },
      backup: { role: 'backup', id: 1002, 'conn-state': 10 },
    });
  });

  test('has no input of its own while the slate is on air', () => {
    const view = viewChannel(backed, on('slate', input(flowing, { protocol: '', peer: '' })), {});
    expect(view).toMatchObject({ state: 'slate', input: { role: 'slate', id: 0, name: '', addr: '' } });
  });

  test('is on its main input while the engine does not know the backup', () => {
    const view = viewChannel(backed, live(), {});
    expect(view.input).toMatchObject({ role: 'main', id: 1001 });
    expect(view.failover).toMatchObject({ active: 'main', main: { 'conn-state': 10 }, backup: { 'conn-state': 0 } });
  });

  test('shows nothing of a removed backup', () => {
    const view = viewChannel({ ...backed, backup: undefined }, on('backup', backup), {});
    expect(view.input.role).toBe('main');
    expect(view.failover).toBeUndefined();
  });
});

test('outputs have their mode, destination and figures', () => {
  const failed: OutputStatus = {
    ...idle,
    id: 1,
    conn: conn.refused,
    state: state.failed,
    reason: 'refused',
    reconnects: 3,
    retryInMs: 1500,
    skipped: 9,
  };
  const sending: OutputStatus = {
    ...flowing,
    id: 2,
    reconnects: 0,
    skipped: 0,
    srt: { rttMs: 12, packets: 900, lost: 3, retransmitted: 2, dropped: 1, bufferMs: 40 },
    quality: { lossPercent: 0.5, lost: 1, retransmitted: 0, dropped: 0, rttMs: 12, bufferMs: 40 },
  };
  const { list } = viewChannel(channel, live({ status: status({ outputs: [sending, failed] }) }), {}).outputs;
  expect(list).toMatchObject([
    {
      id: 1,
      type: 514,
      mode: 'caller',
      addr: 'srt://h.example:9000',
      reason: 'refused',
      'retry-in-ms': 1500,
      skipped: 9,
    },
    {
      id: 2,
      mode: 'push',
      addr: 'rtmps://live.example/app',
      kbps: 6000,
      report: {
        ...{ 'pkt-drop': 0, 'pkt-drop-total': 1, 'pkt-loss': 1, 'pkt-loss-total': 3 },
        ...{ 'pkt-retrans': 0, 'pkt-retrans-total': 2, 'loss-percent': 0.5, 'rtt-ms': 12, 'buffer-ms': 40 },
      },
    },
    { id: 3, mode: 'multicast', addr: 'udp://239.1.2.3:5000', enable: false, reason: 'switchedOff' },
    { id: 4, mode: 'unicast', addr: 'udp://192.0.2.3:5000', state: state.initializing },
  ]);
});

test('without an engine every connection that should run says so', () => {
  const view = viewChannel(channel, live({ isEngineRunning: false, status: undefined }), {});
  expect(view.input).toMatchObject({ reason: 'engineDown', state: state.offline, kbps: 0 });
  expect(view.outputs.list.map(({ reason }) => reason)).toEqual([
    'engineDown',
    'engineDown',
    'switchedOff',
    'engineDown',
  ]);
  expect(view.applied).toBe(false);
});

test('it is applied when the engine uses the newest configuration', () => {
  expect(viewChannel(channel, live(), {}).applied).toBe(true);
  expect(viewChannel(channel, live({ isApplied: false }), {}).applied).toBe(false);
});

test('HLS viewers and HTTP-TS readers are shown as HTTP clients', () => {
  const client: ClientStatus = { ...flowing, id: 1, protocol: 'hls', peer: '192.0.2.9', skipped: 0, queueMs: 0 };
  const at = live({ status: status({ clients: [client, { ...client, id: 2, protocol: 'http' }] }) });
  expect(viewChannel(channel, at, {}).clients.list).toMatchObject([
    { id: 1, protocol: 32, addr: '192.0.2.9' },
    { id: 2, protocol: 32 },
  ]);
});

test('outputs and clients are shown in windows of ten unless another size is requested', () => {
  const clients = Array.from(
    { length: 25 },
    (_, at): ClientStatus => ({ ...flowing, id: at, protocol: 'srt', peer: `192.0.2.9:${at}`, skipped: 0, queueMs: 5 }),
  );
  const at = live({ status: status({ clients }) });
  expect(viewChannel(channel, at, {}).clients).toMatchObject({ start: 0, total: 25, list: { length: 10 } });
  const windowed = viewChannel(channel, at, { 'client-start': 24, 'client-count': 5, 'output-start': 3 });
  expect(windowed.clients.list).toMatchObject([{ id: 24, type: 516, protocol: 2, 'queue-ms': 5 }]);
  expect(windowed.outputs).toMatchObject({ start: 3, total: 4, list: [{ id: 4 }] });
});
