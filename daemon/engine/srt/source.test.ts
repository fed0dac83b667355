/** What an SRT publisher of a channel sends to the endpoint, whose role the test plays. */

import { expect, test } from 'bun:test';
import { plentyOfDescriptors } from '../../../tests/support/descriptors.ts';
import { createLog } from '../../lib/log.ts';
import type { TsChoice } from '../../sources/stream-address.ts';
import { Channel } from '../channel/channel.ts';
import type { PlannedChannel } from '../channel/input-sharing.ts';
import { createPlayerPlaces } from '../channel/player-places.ts';
import { packetsOf, withChecksum } from '../mpegts/psi.ts';
import { createCallers } from '../net/callers.ts';
import { publisherOf } from './connection.ts';
import type { EndpointOperation } from './protocol.ts';
import { createSrtSource } from './source.ts';

const desired: PlannedChannel = {
  ...{
    id: 7,
    name: 'Main',
    enabled: true,
    pushKey: 'push',
    playKey: 'play',
    allow: { rtmp: true, srt: true },
    takeover: false,
  },
  ...{ inputId: 0, input: { protocol: 'push' }, outputs: [] },
};

function setUp(change: Partial<PlannedChannel> = {}) {
  const sent: EndpointOperation[] = [];
  const fed: string[] = [];
  const noFeed = { sendUnit: () => true, sendTables: () => true, dropFeed: () => undefined };
  const srtFeed = {
    sendUnit: () => fed.push('unit') > 0,
    sendTables: () => fed.push('tables') > 0,
    dropFeed: () => void fed.push('drop'),
  };
  const none = () => ({ bytes: 0, skipped: 0, close: () => undefined });
  const channel = new Channel(
    { ...desired, ...change },
    {
      log: createLog('error', () => undefined),
      feeds: { srt: srtFeed, udp: noFeed },
      ...{
        playerPlaces: createPlayerPlaces({ boundKey: createCallers().boundKey, descriptors: plentyOfDescriptors }),
        openInput: none,
        openOutput: none,
        onChange: () => undefined,
      },
    },
  );
  const send = (operation: EndpointOperation) => sent.push(operation) > 0;
  const publish = (conn: number, choice?: TsChoice) =>
    publisherOf({
      ...{ channel, peer: '10.0.0.1:4000', choice, source: createSrtSource(send, { conn }) },
      drop: () => undefined,
    });
  return { channel, sent, fed, publish };
}

/** A video packet marked as a random access point, after tables that list it. */
function stream(): Uint8Array {
  const pat = packetsOf(withChecksum(Uint8Array.of(0, 0xb0, 13, 0, 1, 0xc1, 0, 0, 0, 1, 0xf0, 0)), 0, 0);
  const entries = [27, 0xe1, 0, 0xf0, 0];
  const pmt = withChecksum(Uint8Array.of(2, 0xb0, 18, 0, 1, 0xc1, 0, 0, 0xe1, 0, 0xf0, 0, ...entries));
  const bytes = new Uint8Array(3 * 188).fill(0xff);
  bytes.set(pat, 0);
  bytes.set(packetsOf(pmt, 0x1000, 0), 188);
  bytes.set([0x47, 0x41, 0, 0x30, 7, 0x40], 376);
  return bytes;
}

const ops = (sent: readonly EndpointOperation[]) => sent.filter(({ op }) => op !== 'batch');

test('the publisher of a channel is linked to it, and the engine feeds no receiver', () => {
  const { channel, sent, fed, publish } = setUp();
  const receiver = channel.addReceiver('srt');
  const connection = publish(5);
  expect(ops(sent)).toEqual([{ op: 'link', conn: 5, feed: 7 }]);
  connection?.receive(stream());
  expect(fed.filter((word) => word !== 'drop')).toEqual([]);
  // Its receivers stay, and the engine feeds them whatever follows.
  connection?.closed('peer closed');
  expect(channel.ts.ring.subscribers).toBe(1);
  expect(publish(6)).toBeDefined();
  expect(channel.ts.ring.subscribers).toBe(0);
  expect(ops(sent).at(-1)).toEqual({ op: 'link', conn: 6, feed: 7 });
  receiver();
  channel.close('end');
});

test('an input that only serves other channels passes through the engine', () => {
  const { channel, sent, fed, publish } = setUp({ enabled: false, feedsOthers: true });
  channel.addReceiver('srt');
  publish(5)?.receive(stream());
  expect(ops(sent)).toEqual([{ op: 'unlink', conn: 5 }]);
  expect(fed.filter((word) => word !== 'drop')).toEqual(['tables', 'unit']);
  channel.close('end');
});

test('an input of whose stream only a part is selected passes through the engine too', () => {
  const { channel, sent, publish } = setUp();
  channel.addReceiver('srt');
  publish(5, { program: 11, audioTrack: 0 });
  expect(ops(sent)).toEqual([{ op: 'unlink', conn: 5 }]);
  expect(channel.ts.ring.subscribers).toBe(1);
  channel.close('end');
});

test('a second publisher is not linked', () => {
  const { channel, sent, publish } = setUp();
  publish(5);
  expect(publish(6)).toBeUndefined();
  expect(ops(sent)).toEqual([{ op: 'link', conn: 5, feed: 7 }]);
  channel.close('end');
});

test('the engine asks for its copy often while the bus has a reader, otherwise rarely', async () => {
  const { channel, sent, publish } = setUp();
  const batches = () => sent.filter(({ op }) => op === 'batch');
  publish(5);
  expect(batches()).toEqual([{ op: 'batch', conn: 5, ms: 100, prompt: false }]);
  const cursor = channel.ts.ring.subscribe(() => undefined);
  await Promise.resolve();
  expect(batches().slice(1)).toEqual([{ op: 'batch', conn: 5, ms: 8, prompt: true }]);
  cursor.close();
  channel.tick(performance.now());
  expect(batches().slice(2)).toEqual([{ op: 'batch', conn: 5, ms: 100, prompt: false }]);
  channel.close('end');
});
