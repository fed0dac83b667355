import { expect, test } from 'bun:test';
import { plentyOfDescriptors } from '../../../tests/support/descriptors.ts';
import { until } from '../../../tests/support/until.ts';
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import { createLog } from '../../lib/log.ts';
import type { DesiredChannel } from '../../media/protocol/desired.ts';
import type { SrtStream, UdpStream } from '../../sources/stream-address.ts';
import type { AttemptEvents } from '../connection/connection.ts';
import { createCallers } from '../net/callers.ts';
import { Channel, type ChannelPorts } from './channel.ts';
import type { Client } from './clients.ts';
import type { FeedPort } from './feed.ts';
import { createPlayerPlaces } from './player-places.ts';
import type { Publisher } from './publisher.ts';

const udp: UdpStream = { protocol: 'udp', host: '127.0.0.1', port: 5000, ttl: 16, interface: '', source: '' };

const listener: SrtStream = {
  ...{ protocol: 'srt', mode: 'listener', host: '0.0.0.0', port: 9000, latencyMs: 120, overheadPercent: 25 },
  ...{ streamId: '', passphrase: '', keyLength: 0, maxConnections: 30 },
};

function desired(change: Partial<DesiredChannel> = {}): DesiredChannel {
  return {
    id: 7,
    name: 'Main',
    enabled: true,
    pushKey: 'push',
    playKey: 'play',
    allow: { rtmp: true, srt: true },
    takeover: false,
    inputId: 0,
    input: { protocol: 'push' },
    outputs: [
      { id: 1, enabled: true, target: udp },
      { id: 2, enabled: false, target: { ...udp, port: 5001 } },
    ],
    ...change,
  };
}

const noFeed: FeedPort = { sendUnit: () => true, sendTables: () => true, dropFeed: () => undefined };

function setUp(config = desired()) {
  const lines: string[] = [];
  const callers = createCallers();
  const opened: { id: number; events: AttemptEvents; closed: string[] }[] = [];
  const inputs: AttemptEvents[] = [];
  const ports: ChannelPorts = {
    log: createLog('warn', (line) => lines.push(line)),
    feeds: { srt: noFeed, udp: noFeed },
    playerPlaces: createPlayerPlaces({ boundKey: callers.boundKey, descriptors: plentyOfDescriptors }),

    openInput(_, __, events) {
      inputs.push(events);
      return { bytes: 0, skipped: 0, close: () => undefined };
    },
    openOutput(_, id, __, events) {
      const entry = { id, events, closed: [] as string[] };
      opened.push(entry);
      return { bytes: 0, skipped: 0, close: (reason: string) => entry.closed.push(reason) };
    },
    onChange: () => undefined,
  };
  const another = (id: number) => new Channel(desired({ id }), ports);
  return { channel: new Channel(config, ports), another, callers, lines, opened, inputs };
}

function publisher(protocol: Publisher['protocol'] = 'rtmp'): Publisher & { closed: string[] } {
  const closed: string[] = [];
  return {
    protocol,
    shape: protocol === 'rtmp' ? 'flv' : 'ts',
    peer: () => '10.0.0.1:4000',
    bytes: () => 0,
    media: () => undefined,
    continuityErrors: () => undefined,
    srt: () => undefined,
    stalled: () => closed.push('stalled'),
    close: (reason) => closed.push(reason),
    closed,
  };
}

function client(protocol: Client['protocol'] = 'rtmp'): Client & { closed: string[] } {
  const closed: string[] = [];
  const close = (reason: string) => closed.push(reason);
  return {
    protocol,
    peer: '',
    bytes: () => 0,
    skipped: () => 0,
    queueMs: () => 0,
    srt: () => undefined,
    close,
    closed,
  };
}

test('the enabled outputs start when a publisher connects', () => {
  const target = { ...listener, mode: 'caller' } as const;
  const outputs = [
    { id: 1, enabled: true, target },
    { id: 2, enabled: false, target: { ...target, port: 5001 } },
  ];
  const { channel, opened } = setUp(desired({ outputs }));
  expect(opened).toHaveLength(0);
  expect(channel.status().outputs.map((output) => output.reason)).toEqual(['noInput', 'switchedOff']);
  channel.beginPublish(publisher());
  expect(opened.map(({ id }) => id)).toEqual([1]);
  channel.close('end');
});

test('an output over UDP is open before its publisher connects, and shows as waiting', () => {
  const { channel, opened } = setUp();
  expect(opened.map(({ id }) => id)).toEqual([1]);
  opened[0]?.events.connected();
  const off = { conn: connectionStates.waiting, state: sourceStates.offline };
  expect(channel.status().outputs).toMatchObject([
    { ...off, reason: 'noInput' },
    { ...off, reason: 'switchedOff' },
  ]);
  channel.beginPublish(publisher());
  expect(channel.status().outputs[0]).toMatchObject({ conn: connectionStates.connected, state: sourceStates.running });
  expect(opened).toHaveLength(1);
  channel.close('end');
});

test('an output that listens is open while the channel is on, with or without a publisher', () => {
  const { channel, opened } = setUp(desired({ outputs: [{ id: 3, enabled: true, target: listener }] }));
  expect(opened.map(({ id }) => id)).toEqual([3]);
  channel.apply(desired({ enabled: false, outputs: [{ id: 3, enabled: true, target: listener }] }));
  expect(opened[0]?.closed).toEqual(['switchedOff']);
  channel.close('end');
});

test('a client of an output is independent of play key and protocol switches, and counts with its output', () => {
  const { channel } = setUp();
  const [own, came] = [client('srt'), { ...client('srt'), outputId: 1, bytes: () => 700 }];
  channel.addClient(own);
  channel.addClient(came);
  channel.apply(desired({ playKey: 'another', allow: { rtmp: true, srt: false } }));
  expect([own.closed, came.closed]).toEqual([['srt switched off'], []]);
  expect(channel.status().clients.map(({ outputId, bytes }) => [outputId, bytes])).toContainEqual([1, 700]);
  expect(channel.clients.bytes).toBe(0);
  channel.close('end');
});

test('a channel that is switched on again waits, and no longer shows switched off', () => {
  const { channel } = setUp();
  const pusher = publisher();
  channel.beginPublish(pusher);
  channel.apply(desired({ enabled: false }));
  channel.endPublish(pusher, 'switchedOff');
  expect(channel.status().input.reason).toBe('switchedOff');
  channel.apply(desired());
  expect(channel.status().input).toMatchObject({ conn: connectionStates.waiting, reason: 'noInput' });
  channel.close('end');
});

test('a pulled input whose port is open is not connected before it receives data', () => {
  const { channel, inputs } = setUp(desired({ inputId: 5, input: udp }));
  inputs[0]!.connected();
  expect(channel.status().input).toMatchObject({ conn: connectionStates.waitingForData, reason: 'noData' });
  channel.close('end');
});

test('a second publisher is refused while the first is active', () => {
  const { channel } = setUp();
  const first = publisher();
  expect(channel.beginPublish(first)).toBeUndefined();
  expect(channel.refusesPublish('srt')).toBe('busy');
  expect(channel.beginPublish(publisher('srt'))).toBe('busy');
  channel.endPublish(first, 'closedByPeer');
  expect(channel.refusesPublish('srt')).toBeUndefined();
  expect(channel.status().input).toMatchObject({ conn: connectionStates.waiting, reason: 'closedByPeer' });
  channel.close('end');
});

test('a second publisher replaces one that has gone silent, and the first is told why', async () => {
  const { channel } = setUp();
  const [first, second] = [publisher(), publisher('srt')];
  channel.beginPublish(first);
  await until(() => channel.refusesPublish('srt') === undefined, 10_000, 'the first is silent');
  expect(channel.beginPublish(second)).toBeUndefined();
  expect(first.closed).toEqual(['silent, and another publisher took its place']);
  expect(channel.input.current).toBe(second);
  // A later message of its connection affects no publisher.
  channel.endPublish(first, 'closedByPeer');
  expect(channel.input.current).toBe(second);
  channel.close('end');
});

test('if the channel allows it, a new publisher replaces one that still sends, and the state says why', () => {
  const { channel } = setUp(desired({ takeover: true }));
  const [first, second] = [publisher(), publisher('srt')];
  channel.beginPublish(first);
  expect(channel.refusesPublish('srt')).toBeUndefined();
  expect(channel.beginPublish(second)).toBeUndefined();
  expect(first.closed).toEqual(['a new publisher took over']);
  expect(channel.input.current).toBe(second);
  expect(channel.status().input).toMatchObject({ conn: connectionStates.waitingForData, reason: 'replaced' });
  channel.close('end');
});

test('a pulled input is never replaced by a publisher', () => {
  const { channel } = setUp(desired({ takeover: true, inputId: 5, input: udp }));
  channel.beginPublish(publisher());
  expect(channel.beginPublish(publisher('srt'))).toBe('busy');
  channel.close('end');
});

test('changing one output does not affect the others, whatever their order', () => {
  const third = { id: 3, enabled: true, target: { ...udp, port: 5003 } };
  const { channel, opened } = setUp(desired({ outputs: [...desired().outputs, third] }));
  channel.beginPublish(publisher());
  expect(opened.map(({ id }) => id)).toEqual([1, 3]);
  channel.apply(desired({ outputs: [third, { id: 2, enabled: true, target: { ...udp, port: 5002 } }] }));
  expect(opened.map(({ id, closed }) => [id, closed])).toEqual([
    [1, ['output removed']],
    [3, []],
    [2, []],
  ]);
  channel.apply(desired({ outputs: [{ ...third, target: { ...third.target, port: 6000 } }] }));
  expect(opened.filter(({ id }) => id === 3).map(({ closed }) => closed)).toEqual([['output changed'], []]);
  channel.close('end');
});

test('switching a channel off ends publisher, players and outputs', () => {
  const { channel, opened } = setUp();
  const [pusher, player] = [publisher(), client()];
  channel.beginPublish(pusher);
  channel.addClient(player);
  channel.apply(desired({ enabled: false }));
  expect(pusher.closed).toEqual(['channel switched off']);
  expect(player.closed).toEqual(['channel switched off']);
  expect(opened[0]!.closed).toEqual(['switchedOff']);
  expect(channel.refusesPublish('rtmp')).toBe('off');
  expect(channel.refusesPlay('srt')).toBe('off');
});

test('switching a protocol off ends only its own clients', () => {
  const { channel } = setUp();
  const [rtmp, srt] = [client('rtmp'), client('srt')];
  channel.addClient(rtmp);
  channel.addClient(srt);
  channel.apply(desired({ allow: { rtmp: true, srt: false } }));
  expect(rtmp.closed).toEqual([]);
  expect(srt.closed).toEqual(['srt switched off']);
  channel.close('end');
});

test('a new key ends the clients that used the old one', () => {
  const { channel } = setUp();
  const [pusher, player] = [publisher('srt'), client('srt')];
  channel.beginPublish(pusher);
  channel.addClient(player);
  channel.apply(desired({ pushKey: 'other' }));
  expect(pusher.closed).toEqual(['push key changed']);
  expect(player.closed).toEqual([]);
  channel.apply(desired({ pushKey: 'other', playKey: 'another' }));
  expect(player.closed).toEqual(['play key changed']);
  channel.close('end');
});

test('a channel with a pulled input refuses publishers', () => {
  const { channel } = setUp();
  channel.apply(
    desired({
      inputId: 4,
      input: { protocol: 'udp', host: '0.0.0.0', port: 5000, ttl: 16, interface: '', source: '' },
    }),
  );
  expect(channel.refusesPublish('rtmp')).toBe('off');
  channel.close('end');
});

/** Returns the place, or the reason why there was none. */
function enter(channel: Channel, peer: string) {
  const entry = channel.addClient({ ...client(), peer });
  return 'refused' in entry ? entry.refused : entry;
}

test('a channel limits its number of players', () => {
  const { channel } = setUp();
  const entries = Array.from({ length: 256 }, (_, n) => enter(channel, `198.51.100.${n}:4000`));
  expect(entries.filter((entry) => typeof entry === 'string')).toEqual([]);
  expect(enter(channel, '203.0.113.1:1')).toBe('the channel has 256 players');
  const [first] = entries;
  if (typeof first === 'object') first.remove();
  expect(enter(channel, '203.0.113.1:1')).toBeObject();
  channel.close('end');
});

test('one address can take only a share of a channel’s places, whatever its ports; the log names the refused peer', () => {
  const { channel, lines } = setUp();
  const entries = Array.from({ length: 64 }, (_, n) => enter(channel, `198.51.100.1:${4000 + n}`));
  expect(entries.filter((entry) => typeof entry === 'string')).toEqual([]);
  const refused = 'the channel has 64 players at this address';
  expect(enter(channel, '198.51.100.1:5000')).toBe(refused);
  expect(enter(channel, '198.51.100.1')).toBe(refused);
  expect(lines.at(-1)).toContain(`player refused channel=7 protocol=rtmp peer=198.51.100.1 reason="${refused}"`);
  expect(enter(channel, '198.51.100.2:5000')).toBeObject();
  if (typeof entries[0] === 'object') entries[0].remove();
  expect(enter(channel, '198.51.100.1:5000')).toBeObject();
  // A whole /64 is one subscriber.
  for (let n = 0; n < 64; n++) expect(enter(channel, `[2001:db8::${n + 1}]:4000`)).toBeObject();
  expect(enter(channel, '[2001:db8::ffff]:4000')).toBe(refused);
  channel.close('end');
});

test('programs on this machine and trusted proxies may have more players of a channel', () => {
  const { channel, callers } = setUp();
  callers.trust(['192.0.2.0/24']);
  for (let n = 0; n < 100; n++) {
    expect(enter(channel, `127.0.0.1:${4000 + n}`)).toBeObject();
    expect(enter(channel, `192.0.2.7:${4000 + n}`)).toBeObject();
  }
  channel.close('end');
});

test('one address has a limited number of places across all channels, and gives them back', () => {
  const { channel, another } = setUp();
  const channels = [channel, ...Array.from({ length: 4 }, (_, n) => another(20 + n))];
  const first = enter(channel, '198.51.100.1:3999');
  for (const one of channels.slice(0, 4)) {
    for (let n = one === channel ? 1 : 0; n < 64; n++) expect(enter(one, `198.51.100.1:${4000 + n}`)).toBeObject();
  }
  const last = channels[4]!;
  expect(enter(last, '198.51.100.1:5000')).toBe('the hub has 256 players at this address');
  expect(enter(last, '198.51.100.2:5000')).toBeObject();
  if (typeof first === 'object') first.remove();
  expect(enter(last, '198.51.100.1:5000')).toBeObject();
  for (const one of channels) one.close('end');
});

test('an input that is released again by what its release changes can be held afterwards', () => {
  const { channel, inputs } = setUp(desired({ enabled: false, input: udp, outputs: [] }));
  const hold = () => {
    const release = channel.holdInput();
    const mine: Publisher = { ...publisher('udp'), close: () => channel.endPublish(mine, 'switchedOff') };
    channel.beginPublish(mine);
    // As a failover does when its backup leaves.
    const leave = channel.watchInput(() => release());
    return () => {
      release();
      leave();
    };
  };
  hold()();
  expect([inputs.length, channel.input.status().reason]).toEqual([1, 'switchedOff']);
  hold();
  expect([inputs.length, channel.input.current?.protocol]).toEqual([2, 'udp']);
});

test('a slate counts as a stream, but not as received', () => {
  const { channel } = setUp();
  let [bytes, slateBytes] = [0, 0];
  const source = { ...publisher(), bytes: () => bytes, slateBytes: () => slateBytes };
  channel.beginPublish(source);
  channel.tick(1000);
  bytes = 1000;
  channel.tick(2000);
  expect(channel.status().input).toMatchObject({ conn: connectionStates.connected, kbps: 8, bytes: 1000 });
  [bytes, slateBytes] = [3000, 2000];
  channel.tick(3000);
  expect(channel.status().input).toMatchObject({ conn: connectionStates.connected, kbps: 0, bytes: 1000 });
  channel.endPublish(source, 'closedByPeer');
  expect(channel.status().input.bytes).toBe(1000);
});
