import { expect, test } from 'bun:test';
import { adaptationFlags, discontinuityFlag, packetSize, pidOf, startsPayload } from '../mpegts/packet.ts';
import { createTsScanner } from '../mpegts/scanner.ts';
import { PesAssembler, pesLimits } from './pes-assembler.ts';
import { clockLeadTicks, TsMuxer } from './ts-muxer.ts';
import { pids } from './ts-tables.ts';

/** A frame of every kind of one stream, as the converter writes it. */
function write(muxer: TsMuxer, kind: 'video' | 'audio', dts: number, options: { key?: boolean; size?: number } = {}) {
  const { key: isRandomAccess = false, size = 400 } = options;
  muxer.prepare({ kind, dts, isRandomAccess });
  muxer.write({ kind, pts: dts, dts, isRandomAccess, parts: [new Uint8Array(size).fill(0x55)] });
}

/** Clock references with the packet that contains them, and where tables start. */
function readClocks(bytes: Uint8Array): { clocks: number[]; tables: number[] } {
  const clocks: number[] = [];
  const tables: number[] = [];
  for (let at = 0; at < bytes.length; at += packetSize) {
    if (pidOf(bytes, at) === pids.pat) tables.push(clocks.at(-1) ?? 0);
    if (!(adaptationFlags(bytes, at) & 0x10)) continue;
    expect(pidOf(bytes, at)).toBe(pids.video);
    clocks.push(Buffer.from(bytes).readUInt32BE(at + 6) * 2 + (bytes[at + 10]! >> 7));
  }
  return { clocks, tables };
}

const steps = (list: readonly number[]) => list.slice(1).map((value, i) => value - list[i]!);

test('clock references come every 40 ms and tables every 100 ms, however slow the pictures', () => {
  const cases = [
    [1500, true],
    [3600, false],
    [9000, true],
    [18_000, false],
    [45_000, true],
  ] as const;
  for (const [frameTicks, hasSound] of cases) {
    const muxer = new TsMuxer();
    muxer.setStreams({ video: 'h264', audio: 'aac' });
    const clocks: number[] = [];
    const tablesAt: number[] = [];
    const send = (kind: 'video' | 'audio', dts: number) => {
      write(muxer, kind, dts, { key: dts % 90_000 === 0 });
      const found = readClocks(muxer.take()!);
      // Audio arrives often enough to carry the tables; without it they stand between clock references.
      const before = clocks.at(-1) ?? dts - clockLeadTicks;
      tablesAt.push(...found.tables.map((clock) => (hasSound ? dts : (clock || before) + clockLeadTicks)));
      clocks.push(...found.clocks);
    };
    for (let video = 90_000, audio = 90_000; video < 900_000; video += frameTicks) {
      send('video', video);
      for (; hasSound && audio < video + frameTicks; audio += 1920) send('audio', audio);
    }
    expect(Math.max(...steps(clocks))).toBeLessThanOrEqual(3600);
    expect(Math.min(...steps(clocks))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...steps(tablesAt))).toBeLessThanOrEqual(9000);
    expect(clocks.at(-1)).toBeGreaterThan(800_000);
  }
});

test('no video or audio is later than its clock', () => {
  const muxer = new TsMuxer();
  muxer.setStreams({ video: 'h264', audio: 'aac' });
  const late: number[] = [];
  let clock = 0;
  // Audio is 80 ms behind its video for the first half, 300 ms ahead for the second.
  for (let dts = 90_000; dts < 500_000; dts += 3600) {
    const audio = dts + (dts < 300_000 ? -7200 : 27_000);
    for (const [kind, at] of [
      ['video', dts],
      ['audio', audio],
    ] as const) {
      write(muxer, kind, at);
      clock = readClocks(muxer.take()!).clocks.at(-1) ?? clock;
      late.push(clock - at);
    }
  }
  expect(Math.max(...late)).toBeLessThan(0);
  expect(Math.min(...late)).toBeGreaterThan(-27_000 - 2 * clockLeadTicks);
});

test('the counters of every PID continue, also across a change of streams', () => {
  const muxer = new TsMuxer();
  const scanner = createTsScanner();
  muxer.setStreams({ video: 'h264' });
  for (let dts = 90_000; dts < 360_000; dts += 3600) {
    if (dts === 180_000) muxer.setStreams({ video: 'hevc', audio: 'aac' });
    if (dts >= 180_000) write(muxer, 'audio', dts, { size: 20 });
    write(muxer, 'video', dts, { key: true, size: dts % 700 });
  }
  const bytes = muxer.take()!;
  for (let at = 0; at < bytes.length; at += packetSize) scanner.scan(bytes, at);
  expect(scanner.continuityErrors).toBe(0);
  expect(scanner.streams).toEqual([
    { pid: pids.video, kind: 'video', codec: 'hevc' },
    { pid: pids.audio, kind: 'audio', codec: 'aac' },
  ]);
});

test('frames of any size survive a round trip, with their times across the 33-bit wrap', () => {
  const muxer = new TsMuxer();
  muxer.setStreams({ video: 'h264' });
  const sizes: number[] = [];
  const times: number[] = [];
  const assembler = new PesAssembler(
    {
      packet({ data, pts, dts }) {
        sizes.push(data.length);
        times.push(dts!, pts!);
        expect(data.every((byte) => byte === 0x33)).toBe(true);
      },
      broken: () => expect.unreachable(),
    },
    pesLimits.videoBytes,
  );
  const desired = [...Array.from({ length: 600 }, (_, i) => i + 1), 65_535, 70_000, 3_000_000];
  const start = 2 ** 33 - 3600 * 100;
  desired.forEach((size, i) => {
    const dts = start + i * 3600;
    muxer.prepare({ kind: 'video', dts, isRandomAccess: i % 50 === 0 });
    muxer.write({
      kind: 'video',
      pts: dts + 7200,
      dts,
      isRandomAccess: i % 50 === 0,
      parts: [new Uint8Array(size).fill(0x33)],
    });
    const bytes = muxer.take()!;
    for (let at = 0; at < bytes.length; at += packetSize) {
      if (pidOf(bytes, at) === pids.video) assembler.push(bytes, at);
    }
  });
  // A packet above 64 KiB cannot give its length, so stuffing marks its end.
  expect(sizes).toEqual(desired);
  const expected = desired.flatMap((_, i) => [start + i * 3600, start + i * 3600 + 7200]);
  expect(times).toEqual(expected.map((ticks) => ticks % 2 ** 33));
});

test('after a break the first packet of each stream signals a discontinuity', () => {
  const muxer = new TsMuxer();
  muxer.setStreams({ video: 'h264', audio: 'aac' });
  write(muxer, 'video', 90_000, { key: true });
  muxer.restartClock();
  muxer.take();
  for (const kind of ['video', 'audio', 'video', 'audio'] as const) write(muxer, kind, 90_000);
  const bytes = muxer.take()!;
  const flagged: number[] = [];
  for (let at = 0; at < bytes.length; at += packetSize) {
    if (adaptationFlags(bytes, at) & discontinuityFlag && startsPayload(bytes, at)) flagged.push(pidOf(bytes, at));
  }
  expect(flagged).toEqual([pids.video, pids.audio]);
});

test.each([
  ['a picture', ['video']],
  ['sound', ['audio', 'video']],
] as const)('a clock jump across a pause is signaled, with %s first', (_, order) => {
  const muxer = new TsMuxer();
  muxer.setStreams({ video: 'h264', audio: 'aac' });
  for (const kind of ['video', 'audio'] as const) write(muxer, kind, 90_000, { key: true });
  muxer.take();
  for (const kind of order) write(muxer, kind, 90_000 + 5 * 90_000);
  const bytes = muxer.take()!;
  const clocks: boolean[] = [];
  for (let at = 0; at < bytes.length; at += packetSize) {
    const flags = adaptationFlags(bytes, at);
    if (flags & 0x10) clocks.push((flags & discontinuityFlag) !== 0);
  }
  expect(clocks[0]).toBe(true);
  expect(clocks.slice(1)).not.toContain(true);
});
