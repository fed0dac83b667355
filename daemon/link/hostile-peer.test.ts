import { describe, expect, test } from 'bun:test';
import { linkCodeOf, linkCodes, streamCodeOf } from './codes.ts';
import { createPair, createSide, toPort } from './core-rig-for-test.ts';
import { frameOf, frameTypes, maxMessageBytes, u16Payload, u32Payload } from './frames.ts';
import { toPayload } from './payloads.ts';
import { largestWindow } from './receive-window.ts';

type Type = keyof typeof frameTypes;
const frame = (type: Type, id: number, payload: Uint8Array = new Uint8Array()) =>
  frameOf(frameTypes[type], id, payload);
const opening = (id: number) => frame('open', id, toPayload(toPort(80)));

/** Sends the messages to a device with an open link and returns how the link ended. */
function codeAfter(...messages: readonly Uint8Array[]): string | undefined {
  const { device } = createPair();
  for (const message of messages) device.core.receive(message, 0);
  return device.ended?.code;
}

describe('a link ends with a code when its peer', () => {
  test.each([
    [
      'sends more than its credit',
      'creditExceeded',
      [opening(2), ...Array(5).fill(frame('data', 2, Buffer.alloc(60_000)))],
    ],
    [
      'grants more credit than a window may have',
      'creditOverflow',
      [opening(2), frame('credit', 2, u32Payload(largestWindow))],
    ],
    ['grants the largest number', 'creditOverflow', [opening(2), frame('credit', 2, u32Payload(0xffff_ffff))]],
    ['sends data on a stream that was never opened', 'unexpected', [frame('data', 2, Buffer.alloc(10))]],
    ['grants credit to a stream that was never opened', 'unexpected', [frame('credit', 7, u32Payload(10))]],
    ['resets a stream that was never opened', 'unexpected', [frame('rst', 4, u16Payload(1))]],
    ['opens a stream twice', 'unexpected', [opening(2), opening(2)]],
    ['opens a stream with an id of the other side', 'unexpected', [opening(3)]],
    ['opens streams in descending order', 'unexpected', [opening(6), opening(4)]],
    ['sends data after the end', 'unexpected', [opening(2), frame('fin', 2), frame('data', 2, Buffer.alloc(1))]],
    ['ends a stream twice', 'unexpected', [opening(2), frame('fin', 2), frame('fin', 2)]],
    ['sends HELLO to the side that dials', 'unexpected', [frame('hello', 0, toPayload({}))]],
    ['sends CHALLENGE again', 'unexpected', [frame('challenge', 0, toPayload({}))]],
    ['sends a frame of an unknown type', 'malformed', [Buffer.from([99, 0, 0, 0, 0, 0, 0, 0])]],
    ['cuts off a header', 'malformed', [Buffer.from([17, 0, 0])]],
    ['cuts off a payload', 'malformed', [frame('data', 2, Buffer.alloc(10)).subarray(0, 12)]],
    ['sends data without bytes', 'malformed', [opening(2), frame('data', 2)]],
    ['sends a frame of the link for a stream', 'malformed', [frame('ping', 2, u32Payload(1))]],
    ['sends data for stream 0', 'malformed', [frame('data', 0, Buffer.alloc(1))]],
    ['opens a stream without JSON', 'malformed', [frame('open', 2, Buffer.from('{"kind":'))]],
    ['opens a stream to port 0', 'malformed', [frame('open', 2, toPayload({ ...toPort(80), port: 0 }))]],
    ['opens a stream with text that is not UTF-8', 'malformed', [frame('open', 2, Buffer.from([0xff, 0xfe]))]],
    [
      'sends a DATA frame of more than 64 KiB',
      'oversized',
      [opening(2), frame('data', 2, Buffer.alloc((64 << 10) + 1))],
    ],
    ['sends a message of more than 256 KiB', 'oversized', [Buffer.alloc(maxMessageBytes + 1)]],
    ['sends an OPEN of more than 1 KiB', 'oversized', [frame('open', 2, Buffer.alloc(1025, 0x20))]],
  ] as const)('%s: %s', (_, code, frames) => {
    expect(codeAfter(...frames)).toBe(code);
  });

  test.each([
    'open',
    'data',
    'credit',
    'fin',
    'rst',
    'ping',
    'pong',
    'goAway',
    'proof',
    'welcome',
    'challenge',
  ] as const)('sends %s before HELLO', (type) => {
    const hub = createSide('listener', 0);
    const payloads: Partial<Record<Type, Uint8Array>> = {
      open: toPayload(toPort(80)),
      data: Buffer.alloc(10),
      credit: u32Payload(1),
      rst: u16Payload(1),
      ping: u32Payload(1),
      pong: u32Payload(1),
      fin: new Uint8Array(),
    };
    const isOfStream = ['open', 'data', 'credit', 'fin', 'rst'].includes(type);
    const payload = payloads[type] ?? toPayload({ reason: 'stopping', spreadMs: 0 });
    hub.core.receive(frame(type, isOfStream ? 1 : 0, payload), 0);
    expect(hub.ended?.code).toBe('unexpected');
  });

  test('sends HELLO twice', () => {
    const hub = createSide('listener', 0);
    hub.core.receive(frame('hello', 0, toPayload({})), 0);
    expect(hub.ended).toBeUndefined();
    hub.core.receive(frame('hello', 0, toPayload({})), 0);
    expect(hub.ended?.code).toBe('unexpected');
  });

  test('opens a stream while it waits to be accepted', () => {
    const device = createSide('dialer', 0);
    device.core.enter('waiting', { window: 1000, frame: 1000, streams: 1 });
    device.core.receive(opening(2), 0);
    expect(device.ended?.code).toBe('unexpected');
  });
});

describe('a peer that does not read its answers', () => {
  test.each([
    ['pings', (at: number) => frame('ping', 0, u32Payload(at))],
    ['opens streams beyond the limit', (at: number) => opening(2 + 2 * at)],
  ] as const)('and %s without end is cut off', (_, make) => {
    const { device } = createPair();
    let sent = 0;
    for (; device.ended === undefined && sent < 5000; sent++) device.core.receive(make(sent), 0);
    expect(device.ended?.code).toBe('flood');
    expect(sent).toBeLessThan(2000);
  });

  test('may open and reset streams as often as it likes', () => {
    const { device } = createPair();
    for (let id = 2; id < 20_000; id += 2) {
      device.core.receive(Buffer.concat([opening(id), frame('rst', id, u16Payload(1))]), 0);
    }
    expect(device.ended).toBeUndefined();
    expect(device.core.stats()).toMatchObject({ streams: 0, committedBytes: 256 * (8 << 10) });
  });
});

describe('frames that were on their way when a stream was reset', () => {
  test('are ignored', () => {
    const { device } = createPair();
    device.core.receive(opening(2), 0);
    device.opened[0]?.stream.reset('refused');
    const late = [frame('data', 2, Buffer.alloc(5000)), frame('credit', 2, u32Payload(9)), frame('fin', 2)];
    device.core.receive(Buffer.concat(late), 0);
    device.core.receive(frame('rst', 2, u16Payload(1)), 0);
    expect(device.ended).toBeUndefined();
  });
});

test('codes that this version does not know have a meaning', () => {
  expect(linkCodeOf(linkCodes.replaced)).toBe('replaced');
  expect(linkCodeOf(1006)).toBe('lost');
  expect(streamCodeOf(999)).toBe('cancelled');
});
