import { describe, expect, test } from 'bun:test';
import { ChunkReader, chunkLimits } from './chunk-reader.ts';
import { encodeMessages } from './chunk-writer.ts';
import { ProtocolError } from './protocol.ts';

interface Seen {
  type: number;
  streamId: number;
  timestamp: number;
  payload: string;
}

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const mebibyte = 1 << 20;

function createReader(maxMessageBytes = mebibyte) {
  const seen: Seen[] = [];
  const reader = new ChunkReader((type, streamId, timestamp, payload) => {
    seen.push({ type, streamId, timestamp, payload: Buffer.from(payload).toString('hex') });
  }, maxMessageBytes);
  return { reader, seen };
}

/** A full header on the given chunk stream. */
function fullHeader(chunkStream: number, timestamp: number, length: number, type = 9, streamId = 1): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  const isExtended = timestamp >= 0xffffff;
  const id = Buffer.alloc(4);
  id.writeUInt32LE(streamId);
  const time = isExtended ? 'ffffff' : hex(timestamp, 6);
  const extended = isExtended ? hex(timestamp, 8) : '';
  return `${hex(chunkStream, 2)}${time}${hex(length, 6)}${hex(type, 2)}${id.toString('hex')}${extended}`;
}

const setChunkSize = (size: number): string => `${fullHeader(2, 0, 4, 1, 0)}${size.toString(16).padStart(8, '0')}`;

function feedInCuts(input: Buffer, cut: number): Seen[] {
  const { reader, seen } = createReader();
  for (let at = 0; at < input.length; at += cut) reader.feed(input.subarray(at, at + cut));
  return seen;
}

describe('messages', () => {
  const messages = [
    { type: 9, timestamp: 0, payload: Buffer.alloc(300, 1) },
    { type: 8, timestamp: 20, payload: Buffer.alloc(0) },
    { type: 18, timestamp: 0xfffffe, payload: Buffer.alloc(128, 2) },
    { type: 9, timestamp: 0xffffff, payload: Buffer.alloc(129, 3) },
    { type: 9, timestamp: 0xfffffff0, payload: Buffer.alloc(1000, 4) },
  ];
  const expected = messages.map(({ type, timestamp, payload }) => ({
    type,
    streamId: 1,
    timestamp,
    payload: payload.toString('hex'),
  }));

  test('survive a round trip from the writer, however the bytes are cut', () => {
    const input = Buffer.from(encodeMessages(messages, 1, 128));
    for (const cut of [1, 2, 3, 5, 17, 128, 129, 1000, input.length]) expect(feedInCuts(input, cut)).toEqual(expected);
  });

  test('may be interleaved on several chunk streams', () => {
    const { reader, seen } = createReader();
    const half = '11'.repeat(128);
    const other = '22'.repeat(128);
    reader.feed(bytes(`${fullHeader(6, 10, 200)} ${half} ${fullHeader(4, 12, 130, 8)} ${other} c6 ${'11'.repeat(72)}`));
    reader.feed(bytes('c4 2222'));
    expect(seen.map(({ type, payload }) => [type, payload.length / 2])).toEqual([
      [9, 200],
      [8, 130],
    ]);
  });

  test('with short headers take the missing fields from the previous one', () => {
    const { reader, seen } = createReader();
    reader.feed(bytes(`${fullHeader(6, 1000, 1)} aa`));
    reader.feed(bytes('46 000021 000002 09 bbbb'));
    reader.feed(bytes('86 000022 cccc'));
    reader.feed(bytes('c6 dddd'));
    expect(seen.map(({ timestamp, payload }) => [timestamp, payload])).toEqual([
      [1000, 'aa'],
      [1033, 'bbbb'],
      [1067, 'cccc'],
      [1101, 'dddd'],
    ]);
    expect(seen.every(({ streamId, type }) => streamId === 1 && type === 9)).toBe(true);
  });

  test('with a type 3 header after a full one add that timestamp again', () => {
    const { reader, seen } = createReader();
    reader.feed(bytes(`${fullHeader(6, 33, 1)} aa c6 bb`));
    expect(seen.map(({ timestamp }) => timestamp)).toEqual([33, 66]);
  });

  test('may use chunk stream ids of two and three bytes', () => {
    const { reader, seen } = createReader();
    const header = fullHeader(0, 5, 2).slice(2);
    reader.feed(bytes(`00 10 ${header} aabb`));
    reader.feed(bytes(`01 10 01 ${header} ccdd`));
    reader.feed(bytes('c0 10 eeff'));
    expect(seen.map(({ payload }) => payload)).toEqual(['aabb', 'ccdd', 'eeff']);
  });

  test('with extended timestamps in deltas are placed right', () => {
    const { reader, seen } = createReader();
    reader.feed(bytes(`${fullHeader(6, 100, 1)} aa 86 ffffff 01000000 bb c6 01000000 cc`));
    expect(seen.map(({ timestamp }) => timestamp)).toEqual([100, 100 + 0x1000000, 100 + 0x2000000]);
  });

  test('whose later chunks lack the extended timestamp are read as well', () => {
    const input = bytes(`${fullHeader(6, 0x1000000, 140)} ${'ab'.repeat(128)} c6 ${'cd'.repeat(12)}`);
    for (const cut of [1, 2, 3, 4, 145, 146, 147, 148, input.length]) {
      const [message] = feedInCuts(input, cut);
      expect(message?.payload).toBe('ab'.repeat(128) + 'cd'.repeat(12));
    }
  });

  test('do not share the input buffer', () => {
    const payloads: Uint8Array[] = [];
    const reader = new ChunkReader((_type, _id, _time, payload) => payloads.push(payload), mebibyte);
    const input = bytes(`${fullHeader(6, 0, 3)} 010203`);
    reader.feed(input);
    input.fill(0xee);
    expect(payloads.map((payload) => [...payload])).toEqual([[1, 2, 3]]);
    expect(payloads[0]?.buffer.byteLength).toBe(3);
  });

  test('larger than the first buffer are reassembled', () => {
    const { reader, seen } = createReader(16 * mebibyte);
    const payload = Buffer.alloc(900_000, 'abcdefg');
    const input = Buffer.from(encodeMessages([{ type: 9, timestamp: 1, payload }], 1, 4096));
    reader.feed(bytes(setChunkSize(4096)));
    for (let at = 0; at < input.length; at += 50_000) reader.feed(input.subarray(at, at + 50_000));
    expect(seen[0]?.payload).toBe(payload.toString('hex'));
    expect(reader.inFlightBytes).toBe(0);
  });

  test('stop once the reader is stopped, even in the middle of a read', () => {
    const seen: number[] = [];
    const reader = new ChunkReader((_type, _id, timestamp) => {
      seen.push(timestamp);
      reader.stop();
    }, mebibyte);
    reader.feed(bytes(`${fullHeader(6, 1, 1)} aa ${fullHeader(6, 2, 1)} bb`));
    expect(seen).toEqual([1]);
  });
});

describe('control messages', () => {
  test('set the chunk size for the following messages', () => {
    const { reader, seen } = createReader();
    reader.feed(bytes(`${setChunkSize(200)} ${fullHeader(6, 0, 200)} ${'ab'.repeat(200)}`));
    expect(seen).toHaveLength(1);
  });

  test('may set a chunk size above the longest message: every message is then one chunk', () => {
    const { reader, seen } = createReader();
    reader.feed(bytes(`${setChunkSize(0x7fffffff)} ${fullHeader(6, 0, 500)} ${'ab'.repeat(500)}`));
    expect(seen).toHaveLength(1);
  });

  test('abort a message, and the chunk stream can be used again', () => {
    const { reader, seen } = createReader();
    reader.feed(bytes(`${fullHeader(6, 0, 500)} ${'ab'.repeat(128)}`));
    expect(reader.inFlightBytes).toBe(500);
    reader.feed(bytes(`${fullHeader(2, 0, 4, 2, 0)} 00000006`));
    expect(reader.inFlightBytes).toBe(0);
    reader.feed(bytes(`${fullHeader(6, 7, 1)} cc`));
    expect(seen.map(({ timestamp }) => timestamp)).toEqual([7]);
  });
});

describe('limits', () => {
  const refusal = (...parts: string[]) => {
    const { reader } = createReader(64 << 10);
    expect(() => reader.feed(bytes(parts.join('')))).toThrow(ProtocolError);
    const again = createReader(64 << 10).reader;
    return expect(() => again.feed(bytes(parts.join(''))));
  };

  test('refuse a chunk size of 0, of 2 GB and of no bytes', () => {
    refusal(setChunkSize(0)).toThrow('chunk size of 0 bytes');
    refusal(setChunkSize(0x80000000)).toThrow('chunk size of 2147483648 bytes');
    refusal(fullHeader(2, 0, 2, 1, 0), '0000').toThrow('too short');
    refusal(fullHeader(2, 0, 1, 2, 0), '00').toThrow('too short');
  });

  test('refuse a message that is too big before a byte of it is kept', () => {
    refusal(fullHeader(6, 0, (64 << 10) + 1)).toThrow('message of 65537 bytes (limit 65536)');
  });

  test('refuse the 65th chunk stream', () => {
    const { reader } = createReader();
    for (let i = 0; i < chunkLimits.chunkStreams; i++) {
      reader.feed(bytes(`00${i.toString(16).padStart(2, '0')}${fullHeader(0, 0, 1).slice(2)}aa`));
    }
    expect(() => reader.feed(bytes(`0050${fullHeader(0, 0, 1).slice(2)}aa`))).toThrow('more than 64 chunk streams');
  });

  test('bound all unfinished messages together', () => {
    const { reader } = createReader(64 << 10);
    const unfinished = (id: number) => bytes(`${fullHeader(id, 0, 40_000)} ${'ab'.repeat(128)}`);
    reader.feed(unfinished(3));
    reader.feed(unfinished(4));
    expect(() => reader.feed(unfinished(5))).toThrow('more than 98304 bytes in unfinished messages');
  });

  test('allocate memory only for received bytes, not for an announced size', () => {
    const { reader } = createReader(16 * mebibyte);
    reader.feed(bytes(`${fullHeader(6, 0, 16 * mebibyte - 1)} ${'ab'.repeat(128)}`));
    expect(reader.inFlightBytes).toBe(256 << 10);
  });

  test('refuse a chunk stream that starts in the middle, and a message inside a message', () => {
    refusal('86 000001').toThrow('begins without');
    refusal('c6').toThrow('begins without');
    refusal(fullHeader(6, 0, 200), 'ab'.repeat(128), fullHeader(6, 0, 1)).toThrow('inside an unfinished one');
  });

  test('let random bytes only end the connection', () => {
    let seed = 3;
    const random = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed >>> 24;
    };
    let ended = 0;
    for (let i = 0; i < 300; i++) {
      const { reader } = createReader(64 << 10);
      const input = Buffer.from(Array.from({ length: 4096 }, random));
      try {
        for (let at = 0; at < input.length; at += 100) reader.feed(input.subarray(at, at + 100));
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
        ended++;
      }
      expect(reader.inFlightBytes).toBeLessThan(200_000);
    }
    expect(ended).toBeGreaterThan(250);
  });
});

test('tells at each cut how many bytes the message still lacks, with the headers of its chunks', () => {
  const message = bytes(`${fullHeader(6, 5, 300)}${'aa'.repeat(128)}c6${'bb'.repeat(128)}c6${'cc'.repeat(44)}`);
  for (let cut = 0; cut <= message.length; cut++) {
    const { reader } = createReader();
    reader.feed(message.subarray(0, cut));
    // Within a header only the payload is known, and nothing before the first header ends.
    const isInHeader = cut === 12 + 128 + 1 + 128 + 1 + 44 || cut < 12;
    expect(reader.missingBytes).toBe(isInHeader ? 0 : message.length - cut);
  }
});

test('a stopped reader lacks nothing', () => {
  const { reader } = createReader();
  reader.feed(bytes(`${fullHeader(6, 5, 300)}${'aa'.repeat(100)}`));
  expect(reader.missingBytes).toBe(202);
  reader.stop();
  expect(reader.missingBytes).toBe(0);
});

test('its state between two messages is what another reader needs to continue, and unknown inside one', () => {
  const { reader } = createReader();
  expect(reader.state).toEqual({ chunk: 128, streams: [] });
  const message = encodeMessages([{ type: 9, timestamp: 0x1000000, payload: new Uint8Array(200) }], 1, 128);
  for (let at = 0; at < message.length - 1; at++) {
    reader.feed(Buffer.from(message.subarray(at, at + 1)));
    expect(reader.state).toBeUndefined();
  }
  reader.feed(Buffer.from(message.subarray(-1)));
  const time = { timestamp: 0x1000000, delta: 0x1000000, extended: true };
  expect(reader.state).toEqual({ chunk: 128, streams: [{ id: 6, ...time, length: 200, type: 9 }] });
});

test('a reader continues with the state of another one, inside a message or not', () => {
  const first = createReader();
  const messages = [7, 8, 9].map((fill) => ({ type: 9, timestamp: fill * 40, payload: Buffer.alloc(300, fill) }));
  const [one, two, three] = messages.map((message) => Buffer.from(encodeMessages([message], 1, 128)));
  first.reader.feed(bytes(setChunkSize(128)));
  first.reader.feed(one ?? Buffer.alloc(0));
  const { state } = first.reader;
  const other = createReader();
  other.reader.feed(bytes(`${fullHeader(6, 10, 4000)} ${'11'.repeat(100)}`));
  if (state) other.reader.continueFrom(state);
  expect(other.reader.state).toEqual(state);
  expect([other.reader.inFlightBytes, other.reader.missingBytes]).toEqual([0, 0]);
  // Headers that depend on the message before.
  other.reader.feed(bytes(`46 000028 00012c 09 ${'22'.repeat(128)} c6 ${'22'.repeat(128)} c6 ${'22'.repeat(44)}`));
  other.reader.feed(bytes(`86 000028 ${'33'.repeat(128)} c6 ${'33'.repeat(128)} c6 ${'33'.repeat(44)}`));
  expect(other.seen.map(({ timestamp, payload }) => [timestamp, payload.length])).toEqual([
    [320, 600],
    [360, 600],
  ]);
  other.reader.feed(Buffer.concat([two ?? Buffer.alloc(0), three ?? Buffer.alloc(0)]));
  expect(other.seen).toHaveLength(4);
});
