import { expect, test } from 'bun:test';
import { type AacFormat, type AdtsFrame, AdtsReader, aacConfig, adtsFrame, readAacConfig } from './aac.ts';

const stereo48: AacFormat = { objectType: 2, rateIndex: 3, rate: 48_000, channels: 2 };

function frame(size: number, format = stereo48): Uint8Array {
  const data = Uint8Array.from({ length: size }, (_, i) => (i * 31) & 0xff);
  return Buffer.concat(adtsFrame(format, data)!);
}

/** The same frame with a checksum behind its header. */
function withChecksum(bytes: Uint8Array): Uint8Array {
  const length = bytes.length + 2;
  const head = Buffer.from(bytes.subarray(0, 7));
  head[1]! &= 0xfe;
  head[3] = (head[3]! & 0xfc) | (length >> 11);
  head[4] = (length >> 3) & 0xff;
  head[5] = (head[5]! & 0x1f) | ((length & 7) << 5);
  return Buffer.concat([head, Buffer.of(0xab, 0xcd), bytes.subarray(7)]);
}

function read(...payloads: Uint8Array[]): { sizes: number[]; began: boolean[]; frames: AdtsFrame[] } {
  const frames: AdtsFrame[] = [];
  const began: boolean[] = [];
  const reader = new AdtsReader((each, beganHere) => {
    frames.push({ ...each, data: new Uint8Array(each.data) });
    began.push(beganHere);
  });
  for (const payload of payloads) reader.feed(payload);
  return { sizes: frames.map(({ data }) => data.length), began, frames };
}

test('several frames in one payload are read one by one, with or without checksum', () => {
  const { sizes, frames } = read(Buffer.concat([frame(100), withChecksum(frame(200)), frame(300)]));
  expect(sizes).toEqual([100, 200, 300]);
  expect(frames[1]!.data).toEqual(new Uint8Array(frame(200).subarray(7)));
  expect(frames[1]).toMatchObject(stereo48);
});

test('a frame may be cut anywhere, and its earlier start is known', () => {
  const bytes = Buffer.concat([frame(50), frame(60)]);
  for (let cut = 1; cut < bytes.length; cut++) {
    const { sizes, began } = read(bytes.subarray(0, cut), bytes.subarray(cut));
    expect(sizes).toEqual([50, 60]);
    expect(began[1]).toBe(cut < 57 + 1);
  }
});

test('bytes that only look like a header in the middle of a frame are not read as a frame', () => {
  const inside = Buffer.from(frame(100));
  inside.set(adtsFrame(stereo48, new Uint8Array(20))![0]!, 40);
  const { sizes } = read(Buffer.concat([inside.subarray(30), frame(200), frame(210)]));
  expect(sizes).toEqual([200, 210]);
});

test('frames with several raw data blocks are skipped', () => {
  const several = Buffer.from(frame(100));
  several[6]! |= 1;
  expect(read(Buffer.concat([several, frame(50)])).sizes).toEqual([50]);
});

test('random bytes cause no endless loop, and at most one frame is buffered', () => {
  for (let round = 0; round < 20; round++) {
    const reader = new AdtsReader(() => undefined);
    for (let i = 0; i < 20; i++) reader.feed(crypto.getRandomValues(new Uint8Array(1000)));
  }
});

test('a configuration survives a round trip', () => {
  for (const channels of [1, 2, 6, 7]) {
    for (const [rateIndex, rate] of [
      [3, 48_000],
      [4, 44_100],
      [5, 32_000],
    ] as const) {
      const format = { objectType: 2, rateIndex, rate, channels };
      expect(readAacConfig(aacConfig(format))).toEqual(format);
      expect(read(frame(10, format)).frames[0]).toMatchObject(format);
    }
  }
});

test('HE-AAC is read as its AAC-LC core', () => {
  // Type 5, core at 24 kHz, stereo, extension at 48 kHz, core type 2.
  expect(readAacConfig(Uint8Array.of(0x2b, 0x11, 0x88, 0x00))).toEqual({
    objectType: 2,
    rateIndex: 6,
    rate: 24_000,
    channels: 2,
  });
});

test('configurations that ADTS cannot express yield no format', () => {
  // ER AAC LD (23), an explicit rate, and an empty configuration.
  for (const config of [[0xb9, 0x90], [0x17, 0x80, 0x5d, 0xc0, 0x10], []]) {
    expect(readAacConfig(Uint8Array.from(config))).toBeUndefined();
  }
  expect(adtsFrame(stereo48, new Uint8Array(8185))).toBeUndefined();
});
