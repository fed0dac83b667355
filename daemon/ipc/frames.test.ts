import { expect, test } from 'bun:test';
import { createFrameDecoder, createOutQueue, headerBytes, maxPayload, WireError } from './frames.ts';

interface Seen {
  readonly controls: string[];
  readonly data: { id: number; flags: number; bytes: string }[];
}

function watched(): { take: (chunk: Uint8Array) => void; seen: Seen } {
  const seen: Seen = { controls: [], data: [] };
  const take = createFrameDecoder({
    control: (text) => seen.controls.push(text),
    data: (id, flags, payload) => seen.data.push({ id, flags, bytes: Buffer.from(payload).toString('hex') }),
  });
  return { take, seen };
}

function flushed(fill: (queue: ReturnType<typeof createOutQueue>) => void): Uint8Array {
  const queue = createOutQueue(4 << 20);
  fill(queue);
  const chunks: Uint8Array[] = [];
  queue.flush((bytes) => {
    chunks.push(bytes.slice());
    return bytes.length;
  });
  return Uint8Array.from(Buffer.concat(chunks));
}

const mixed = flushed((queue) => {
  queue.control({ op: 'kick', conn: 1, text: 'ü' });
  queue.data(0xfffffffe, 3, Uint8Array.of(1, 2, 3));
  queue.data(7, 0, new Uint8Array(0));
  queue.data(8, 1, new Uint8Array(9000).fill(5));
  queue.control({ op: 'unlisten' });
});
const mixedSeen: Seen = {
  controls: ['{"op":"kick","conn":1,"text":"ü"}', '{"op":"unlisten"}'],
  data: [
    { id: 0xfffffffe, flags: 3, bytes: '010203' },
    { id: 7, flags: 0, bytes: '' },
    { id: 8, flags: 1, bytes: '05'.repeat(9000) },
  ],
};

test.each([1, 2, 5, 11, 12, 13, 100, 4096, mixed.length])('frames survive being cut into chunks of %d', (size) => {
  const { take, seen } = watched();
  for (let at = 0; at < mixed.length; at += size) take(mixed.slice(at, at + size));
  expect(seen).toEqual(mixedSeen);
});

test('the decoder keeps no reference to a chunk, so the chunk may be overwritten afterwards', () => {
  const { take, seen } = watched();
  const half = 60;
  const chunk = mixed.slice(0, half);
  take(chunk);
  chunk.fill(0xee);
  take(mixed.subarray(half));
  expect(seen).toEqual(mixedSeen);
});

test.each([
  ['an unknown kind', [0x58, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ['bytes that must be zero', [0x44, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ['a length over the limit', [0x44, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0x10, 0]],
])('%s is refused, whole or in pieces', (_name, header) => {
  expect(() => watched().take(Uint8Array.from(header))).toThrow(WireError);
  const { take } = watched();
  take(Uint8Array.from(header.slice(0, 5)));
  expect(() => take(Uint8Array.from(header.slice(5)))).toThrow(WireError);
});

test('media beyond the limit is refused, control frames still pass', () => {
  const queue = createOutQueue(1000);
  expect(queue.data(1, 0, new Uint8Array(900))).toBe(true);
  expect(queue.data(1, 0, new Uint8Array(100))).toBe(false);
  queue.control({ op: 'unlisten' });
  expect(queue.queuedBytes).toBe(headerBytes + 900 + headerBytes + '{"op":"unlisten"}'.length);
  queue.flush((bytes) => bytes.length);
  expect(queue.data(1, 0, new Uint8Array(100))).toBe(true);
});

test('data that a socket does not accept at once is sent later, in order and once', () => {
  const queue = createOutQueue(4 << 20);
  const out: Uint8Array[] = [];
  const sent: number[] = [];
  const takeSome = (limit: number) => (bytes: Uint8Array) => {
    const taken = Math.min(limit, bytes.length);
    out.push(bytes.slice(0, taken));
    return taken;
  };
  for (let i = 0; i < 50; i++) {
    queue.data(i, 0, new Uint8Array(20_000).fill(i));
    sent.push(i);
    let isFirst = true;
    queue.flush((bytes) => {
      const taken = isFirst ? takeSome(7001)(bytes) : 0;
      isFirst = false;
      return taken;
    });
  }
  queue.flush((bytes) => takeSome(bytes.length)(bytes));
  const ids: number[] = [];
  const take = createFrameDecoder({
    control: () => {},
    data: (id, _flags, payload) => {
      expect(payload.every((byte) => byte === id)).toBe(true);
      ids.push(id);
    },
  });
  for (const chunk of out) take(chunk);
  expect(ids).toEqual(sent);
  expect(queue.queuedBytes).toBe(0);
});

test('a frame that is too long is never built', () => {
  const queue = createOutQueue(8 << 20);
  expect(() => queue.data(1, 0, new Uint8Array(maxPayload + 1))).toThrow(WireError);
  expect(() => queue.control({ text: 'x'.repeat(maxPayload) })).toThrow(WireError);
});
