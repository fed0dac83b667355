import { beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { clip } from '../../../tests/support/clips.ts';
import { spaced, spacings } from '../../../tests/support/spaced-packets.ts';
import { packetSize } from './packet.ts';
import { streamsInPackets } from './tables.ts';
import { createTsBus, type TsUnit } from './ts-bus.ts';
import { createTsSink, noSyncLimit } from './ts-sink.ts';

const clips: Record<string, Uint8Array> = {};

function makeClip(codecArgs: string[]): Uint8Array {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=4'];
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=500:sample_rate=48000:duration=4'];
  return readFileSync(clip([...picture, ...tone, ...codecArgs, '-g', '25', '-c:a', 'aac'], 'ts'));
}

beforeAll(() => {
  clips.h264 = makeClip(['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0']);
  clips.hevc = makeClip(['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none']);
  clips.mpeg2video = makeClip(['-c:v', 'mpeg2video']);
});

const roomy = { lagMs: 1e9, lagBytes: 1e9, ownBytes: 1e9, maxBytes: 1e9, maxMs: 1e9 };

function run(bytes: Uint8Array, cut: number, change = (whole: Uint8Array) => whole) {
  const bus = createTsBus(roomy);
  const sink = createTsSink(bus);
  const input = change(bytes);
  for (let at = 0; at < input.length; at += cut) sink.write(input.subarray(at, at + cut));
  const units: TsUnit[] = [];
  for (let seq = bus.ring.oldest(); seq < bus.ring.next; seq++) units.push(bus.ring.at(seq)!);
  return { bus, sink, units, bytes: Buffer.concat(units.map((unit) => unit.data)) };
}

test('every byte passes unchanged, however it is cut', () => {
  for (const cut of [packetSize, 1316, 1000, 7, 65_536]) {
    expect(run(clips.h264!, cut).bytes.equals(Buffer.from(clips.h264!))).toBe(true);
  }
});

for (const spacing of spacings) {
  test(`packets ${spacing} bytes apart pass as packets of 188, however they are cut`, () => {
    for (const cut of [7 * spacing, 1316, 1000, 7, 65_536]) {
      const { bytes, sink, units } = run(clips.h264!, cut, (whole) => spaced(whole, spacing));
      expect(bytes.equals(Buffer.from(clips.h264!))).toBe(true);
      expect(sink).toMatchObject({ isNoise: false, isOutOfSync: false, continuityErrors: 0 });
      expect(units.length).toBeLessThan(clips.h264!.length / 7 / packetSize + 8 + clips.h264!.length / cut);
    }
  });
}

test('a stream whose packet spacing changes continues', () => {
  const at = 500 * packetSize;
  const moved = clips.h264!.subarray(at, 2 * at);
  const { bytes } = run(clips.h264!, 1316, (whole) =>
    Buffer.concat([whole.subarray(0, at), spaced(moved, 204), whole.subarray(2 * at)]),
  );
  // A byte after the last packet of one kind may look like the start of another.
  expect(bytes.includes(moved.subarray(3 * packetSize))).toBe(true);
  expect(bytes.subarray(-100 * packetSize).equals(clips.h264!.subarray(-100 * packetSize))).toBe(true);
});

test('units are whole packets and start at keyframes', () => {
  const { units } = run(clips.h264!, 20_000);
  for (const unit of units) expect(unit.data.length % packetSize).toBe(0);
  expect(units.filter((unit) => unit.entryPoint)).toHaveLength(4);
});

test('keyframes are found without the random access indicator', () => {
  for (const codec of ['h264', 'hevc']) {
    const { units } = run(clips[codec]!, 20_000, withoutRandomAccessFlags);
    expect(units.filter((unit) => unit.entryPoint).length).toBe(4);
  }
});

test('pictures and audio frames are counted', () => {
  const { sink } = run(clips.h264!, 1316);
  expect(sink.arrivals.video).toBe(100);
  expect(sink.arrivals.audio).toBeGreaterThan(10);
});

test('codecs, picture size and tables are known', () => {
  const { sink, bus } = run(clips.hevc!, 1316);
  expect(sink.media).toMatchObject({
    container: 'ts',
    video: { codec: 'hevc', width: 320, height: 180 },
    audio: { codec: 'aac', sampleRate: 48_000, channels: 1 },
  });
  expect(bus.tables.length).toBe(2 * packetSize);
  expect(run(clips.mpeg2video!, 1316).sink.media?.video?.codec).toBe('mpeg2video');
});

test('a stream of one video and 40 audio tracks, whose PMT takes several packets, is fully known', async () => {
  const sounds = Array.from({ length: 40 }, (_, i) => ['-map', '1', `-metadata:s:a:${i}`, `language=${language(i)}`]);
  const bytes = makeClip(['-map', '0', ...sounds.flat(), '-c:v', 'mpeg2video', '-b:a', '32k', '-t', '2']);
  const { sink, bus, units } = run(bytes, 1316);
  expect(sink.media).toMatchObject({ video: { codec: 'mpeg2video' }, audio: { codec: 'aac', sampleRate: 48_000 } });
  expect(streamsInPackets(bus.tables)).toHaveLength(41);
  expect(bus.tables.length).toBeGreaterThan(3 * packetSize);
  expect(sink.continuityErrors).toBe(0);
  // What a client gets that joins at the second keyframe.
  const entries = units.flatMap(({ entryPoint }, at) => (entryPoint ? [at] : []));
  const joined = Buffer.concat([bus.tables, ...units.slice(entries[1]).map(({ data }) => data)]);
  expect(await languagesIn(joined)).toEqual(Array.from({ length: 40 }, (_, i) => language(i)));
});

const language = (i: number) => `a${String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26))}`;

/** As FFmpeg finds them in the tables at the start, since the rest is short. */
async function languagesIn(bytes: Uint8Array): Promise<(string | undefined)[]> {
  const args = ['-v', 'error', '-of', 'json', '-show_entries', 'stream_tags=language', '-select_streams', 'a'];
  const child = Bun.spawn(['ffprobe', ...args, '-f', 'mpegts', '-'], { stdin: bytes, stdout: 'pipe' });
  const { streams } = (await new Response(child.stdout).json()) as { streams: { tags?: { language?: string } }[] };
  return streams.map(({ tags }) => tags?.language);
}

test('a complete stream has no continuity errors, a missing packet counts as one', () => {
  expect(run(clips.h264!, 1316).sink.continuityErrors).toBe(0);
  const holed = run(clips.h264!, 1316, (bytes) => {
    const at = packetSize * 100;
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + packetSize)]);
  });
  expect(holed.sink.continuityErrors).toBe(1);
});

test('garbage between packets is dropped and the stream continues', () => {
  const at = packetSize * 50;
  const noise = new Uint8Array(333).fill(0x11);
  const dirty = run(clips.h264!, 1316, (bytes) => Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]));
  expect(dirty.bytes.equals(Buffer.from(clips.h264!))).toBe(true);
  expect(dirty.sink.isOutOfSync).toBe(false);
});

test('a stream without packets is reported after 64 KiB', () => {
  const bus = createTsBus(roomy);
  const sink = createTsSink(bus);
  sink.write(new Uint8Array(noSyncLimit / 2));
  expect(sink.isOutOfSync).toBe(false);
  sink.write(new Uint8Array(noSyncLimit / 2 + 1));
  expect(sink.isOutOfSync).toBe(true);
  expect(bus.ring.next).toBe(0);
});

test.each([
  ['random bytes', (n: number) => (n * 2654435761) >>> 24],
  ['text', (n: number) => 0x30 + (((n * 2654435761) >>> 16) & 0x3f)],
])('%s are reported, whatever looks like a packet in them', (_, byteAt) => {
  const sink = createTsSink(createTsBus(roomy));
  const noise = Uint8Array.from({ length: 4000 }, (_unused, n) => byteAt(n));
  sink.write(noise);
  expect({ isNoise: sink.isNoise, isOutOfSync: sink.isOutOfSync }).toEqual({ isNoise: true, isOutOfSync: false });
  for (let round = 0; round < 40; round++) sink.write(noise.subarray(round));
  expect(sink.isOutOfSync).toBe(true);
});

test('random bytes never throw and never pass', () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed >> 16;
  };
  for (let round = 0; round < 50; round++) {
    const bytes = Uint8Array.from({ length: 4000 }, () => random() & 0xff);
    const { units } = run(bytes, 1 + (random() % 2000));
    for (const unit of units) expect(unit.data[0]).toBe(0x47);
  }
});

function withoutRandomAccessFlags(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  for (let at = 0; at < copy.length; at += packetSize) {
    const hasAdaptation = (copy[at + 3]! & 0x20) !== 0 && copy[at + 4]! > 0;
    if (hasAdaptation) copy[at + 5]! &= ~0x40;
  }
  return copy;
}
