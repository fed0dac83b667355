import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { clip } from '../../../tests/support/clips.ts';
import type { TsChoice } from '../../sources/stream-address.ts';
import { continuityOf, packetSize, pidOf } from './packet.ts';
import { ProgramFilter } from './program-filter.ts';
import { createSectionReader, packetsOf, withChecksum } from './psi.ts';
import { streamsOf } from './tables.ts';
import { createTsBus } from './ts-bus.ts';
import { createTsSink } from './ts-sink.ts';

/** Two programs: 11 with two audio tracks, 22 with one and a larger picture. */
let twoPrograms: Uint8Array;

beforeAll(() => {
  const tone = (hz: number) => ['-f', 'lavfi', '-i', `sine=frequency=${hz}:sample_rate=48000:duration=3`];
  const args = [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=3'],
    ...['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=3', ...tone(300), ...tone(500), ...tone(700)],
    ...['-map', '0', '-map', '2', '-map', '3', '-map', '1', '-map', '4'],
    ...['-program', 'title=One:program_num=11:st=0:st=1:st=2', '-program', 'title=Two:program_num=22:st=3:st=4'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu', '-metadata:s:a:2', 'language=fra'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac'],
  ];
  twoPrograms = readFileSync(clip(args, 'ts'));
});

async function pipe(command: string[], input: Uint8Array = new Uint8Array(0)): Promise<Uint8Array> {
  const child = Bun.spawn(command, { stdin: input, stdout: 'pipe', stderr: 'pipe' });
  const [bytes, complaint] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
  ]);
  expect(complaint).toBe('');
  return new Uint8Array(bytes);
}

function run(choice: TsChoice, input = twoPrograms, cut = 1316) {
  const bus = createTsBus({ lagMs: 1e9, lagBytes: 1e9, ownBytes: 1e9, maxBytes: 1e9, maxMs: 1e9 });
  const sink = createTsSink(bus, choice);
  for (let at = 0; at < input.length; at += cut) sink.write(input.subarray(at, at + cut));
  const units = Array.from({ length: bus.ring.next }, (_, seq) => bus.ring.at(seq)!.data);
  return { sink, bytes: new Uint8Array(Buffer.concat(units)) };
}

interface Probe {
  readonly programs: readonly { readonly program_id: number; readonly streams: readonly unknown[] }[];
  readonly streams: readonly {
    codec_type: string;
    width?: number;
    nb_read_packets: string;
    tags?: { language?: string };
  }[];
}

/** What FFmpeg finds in the stream; it decodes everything without complaint. */
async function look(bytes: Uint8Array) {
  await pipe(['ffmpeg', '-v', 'error', '-f', 'mpegts', '-i', '-', '-map', '0', '-f', 'null', '-'], bytes);
  const json = await pipe(
    ['ffprobe', '-v', 'error', '-of', 'json', '-count_packets', '-show_programs', '-show_streams', '-f', 'mpegts', '-'],
    bytes,
  );
  const { programs, streams } = JSON.parse(new TextDecoder().decode(json)) as Probe;
  return {
    programs: programs.map(({ program_id }) => program_id),
    pictures: streams.flatMap(({ width, nb_read_packets }) => (width ? [[width, Number(nb_read_packets)]] : [])),
    sounds: streams.flatMap(({ codec_type, tags }) => (codec_type === 'audio' ? [tags?.language] : [])),
  };
}

describe('two programs made by FFmpeg', () => {
  test('pass unchanged without a choice', async () => {
    const { programs, pictures, sounds } = await look(twoPrograms);
    expect(programs).toEqual([11, 22]);
    expect(pictures).toEqual([
      [320, 75],
      [640, 75],
    ]);
    expect(sounds).toEqual(['eng', 'deu', 'fra']);
  });

  const small = [320, 75];
  const large = [640, 75];
  test.each([
    [{ program: 11, audioTrack: 0 }, 11, small, ['eng', 'deu']],
    [{ program: 22, audioTrack: 0 }, 22, large, ['fra']],
    [{ program: 11, audioTrack: 2 }, 11, small, ['deu']],
    [{ program: 0, audioTrack: 1 }, 11, small, ['eng']],
    [{ program: 22, audioTrack: 2 }, 22, large, []],
  ])('%o: one complete program remains', async (choice, program, picture, sounds) => {
    const { sink, bytes } = run(choice);
    expect(await look(bytes)).toEqual({ programs: [program], pictures: [picture], sounds });
    expect({ faults: sink.continuityErrors, lacks: sink.lacksProgram }).toEqual({ faults: 0, lacks: false });
    expect(sink.media?.video?.width).toBe(picture[0]!);
    expect(bytes.length).toBeLessThan(twoPrograms.length);
  });

  test('the result is the same, however the stream is cut', () => {
    const choice = { program: 22, audioTrack: 1 };
    const whole = Buffer.from(run(choice).bytes);
    for (const cut of [packetSize, 1000, 7, 65_536])
      expect(whole.equals(run(choice, twoPrograms, cut).bytes)).toBe(true);
  });

  test('no packet passes for a missing program, which is reported once the tables of the stream are known', () => {
    const { sink, bytes } = run({ program: 33, audioTrack: 0 });
    expect({ bytes: bytes.length, lacks: sink.lacksProgram }).toEqual({ bytes: 0, lacks: true });
    expect(sink.isOutOfSync).toBe(false);
    expect(run({ program: 33, audioTrack: 0 }, new Uint8Array(0)).sink.lacksProgram).toBe(false);
  });

  test('tables of different choices have different versions', () => {
    const versions = [0, 1, 2].map((audioTrack) => pmtsOf(run({ program: 11, audioTrack }).bytes)[0]![5]);
    expect(new Set(versions).size).toBe(3);
  });
});

const pmtPid = 0x321;
const pcrPid = 0x100;

function pat(programs: readonly number[], counter: number, version = 0): Uint8Array {
  const entries = programs.flatMap((number) => [number >> 8, number & 0xff, 0xe0 | (pmtPid >> 8), pmtPid & 0xff]);
  const length = 5 + entries.length + 4;
  const head = [0, 0xb0, length, 0, 9, 0xc1 | (version << 1), 0, 0];
  return packetsOf(withChecksum(Uint8Array.from([...head, ...entries])), 0, counter);
}

/** A program with video and `sounds` audio tracks, each with a long description. */
function pmt(number: number, sounds: number, counter: number): Uint8Array {
  const description = [0x52, 20, ...Array.from({ length: 20 }, (_, i) => i)];
  const audio = Array.from({ length: sounds }, (_, i) => [15, 0xe1, 1 + i, 0xf0, description.length, ...description]);
  const body = [0xe0 | (pcrPid >> 8), pcrPid & 0xff, 0xf0, 0, 27, 0xe1, 0, 0xf0, 0, ...audio.flat()];
  const length = 5 + body.length + 4;
  const head = [2, 0xb0 | (length >> 8), length & 0xff, number >> 8, number & 0xff, 0xc1, 0, 0];
  return packetsOf(withChecksum(Uint8Array.from([...head, ...body])), pmtPid, counter);
}

function media(pid: number, counter: number): Uint8Array {
  const packet = new Uint8Array(packetSize).fill(0x55);
  packet.set([0x47, pid >> 8, pid & 0xff, 0x10 | counter]);
  return packet;
}

function pmtsOf(bytes: Uint8Array): Uint8Array[] {
  const readers = new Map<number, ReturnType<typeof createSectionReader>>();
  const found: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += packetSize) {
    const pid = pidOf(bytes, at);
    const reader = readers.get(pid) ?? createSectionReader();
    readers.set(pid, reader);
    found.push(...reader.read(bytes, at).filter((section) => section[0] === 2));
  }
  return found;
}

const pidsOf = (bytes: Uint8Array) =>
  Array.from({ length: bytes.length / packetSize }, (_, i) => pidOf(bytes, i * packetSize));
const packets = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

describe('synthetic tables', () => {
  test('a PMT over several packets, of two programs that share its PID', () => {
    const filter = new ProgramFilter({ program: 7, audioTrack: 0 });
    const table = pmt(7, 20, 2);
    expect(table.length).toBe(4 * packetSize);
    const stream = [media(0x100, 0), media(0x114, 0), media(0x115, 0), media(0x1fff, 0)];
    const out = filter.take(packets(pat([6, 7], 0), pmt(6, 3, 0), table, ...stream));
    expect(pidsOf(out)).toEqual([0, ...Array(4).fill(pmtPid), 0x100, 0x114]);
    const [section] = pmtsOf(out);
    expect(streamsOf(section!.subarray(0, -4)).map(({ stream: { pid } }) => pid)).toHaveLength(21);
    const again = filter.take(packets(pmt(7, 20, 6)));
    const counters = [out.subarray(packetSize), again].flatMap((bytes) =>
      [0, 1, 2, 3].map((i) => continuityOf(bytes, i * packetSize)),
    );
    expect(counters).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('with one sound the long table fits into a packet, and the clock of another sound still passes', () => {
    const filter = new ProgramFilter({ program: 7, audioTrack: 20 });
    const out = filter.take(packets(pat([7], 0), pmt(7, 20, 0), media(0x100, 0), media(0x101, 0), media(0x114, 0)));
    expect(pidsOf(out)).toEqual([0, pmtPid, 0x100, 0x114]);
  });

  test('an incomplete table or one with a wrong checksum is ignored', () => {
    const table = pmt(7, 20, 0);
    const holed = packets(table.subarray(0, packetSize), table.subarray(2 * packetSize));
    const spoilt = table.slice();
    spoilt[100]! ^= 1;
    for (const bad of [holed, spoilt]) {
      const filter = new ProgramFilter({ program: 7, audioTrack: 0 });
      expect(filter.take(packets(pat([7], 0), bad, media(0x100, 0)))).toHaveLength(0);
      expect(filter.isMissing).toBe(true);
    }
  });

  test('a program that leaves and comes back', () => {
    const filter = new ProgramFilter({ program: 7, audioTrack: 0 });
    const round = (programs: number[], version: number) =>
      pidsOf(filter.take(packets(pat(programs, version, version), pmt(7, 1, version), media(0x100, version))));
    expect(round([6, 7], 0)).toEqual([0, pmtPid, 0x100]);
    expect(round([6], 1)).toEqual([]);
    expect(filter.isMissing).toBe(true);
    expect(round([7], 2)).toEqual([0, pmtPid, 0x100]);
    expect(filter.isMissing).toBe(false);
  });

  test('packets of the program alone are the same bytes, not copies', () => {
    const filter = new ProgramFilter({ program: 7, audioTrack: 0 });
    filter.take(packets(pat([7], 0), pmt(7, 1, 0)));
    const stream = packets(media(0x100, 0), media(0x101, 0));
    expect(filter.take(stream)).toBe(stream);
  });
});
