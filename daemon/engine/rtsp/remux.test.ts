/** RTP as FFmpeg and GStreamer send it, through our remuxer: the same frames, the same bytes, the same times. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { seededRandom } from '../../../tests/support/seeded-random.ts';
import { until } from '../../../tests/support/until.ts';
import { complaints, type Frame, ffmpeg, framesOf, inFolder, makeClip, run } from '../remux/clips-for-test.ts';
import { RtspRemux } from './remux.ts';
import { parseSdp, type SdpMedia } from './sdp.ts';
import { openUdpPair } from './udp-pair.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(`${tmpdir()}/sb-rtsp-remux-`);
const path = inFolder(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packet {
  readonly track: number;
  readonly isControl: boolean;
  readonly bytes: Uint8Array;
  readonly at: number;
}
interface Recording {
  readonly media: readonly SdpMedia[];
  readonly packets: readonly Packet[];
}

/** Starts `sender` with ports for `tracks` tracks, and keeps the packets that it sends until it ends. */
async function record(count: number, sender: (ports: readonly number[]) => Promise<string>): Promise<Recording> {
  const packets: Packet[] = [];
  const pairs = await Promise.all(Array.from({ length: count }, () => openUdpPair('127.0.0.1', '127.0.0.1')));
  pairs.forEach((pair, track) => {
    if (!pair) throw new Error('no free ports');
    pair.onPacket = (part, bytes) =>
      packets.push({ track, isControl: part === 1, bytes: new Uint8Array(bytes), at: performance.now() });
  });
  const sdp = await sender(pairs.map((pair) => pair?.rtpPort ?? 0));
  // The last packets may still be in the socket: FFmpeg says goodbye on the control port of each track.
  const isBye = ({ isControl, bytes }: Packet) => isControl && bytes.includes(203);
  const tracks = pairs.map((_, track) => track);
  await until(() => tracks.every((track) => packets.some((one) => one.track === track && isBye(one))), 5000);
  for (const pair of pairs) pair?.close();
  return { media: parseSdp(sdp, 'rtsp://x/').media, packets };
}

function recordFfmpeg(clip: string, tracks: readonly string[]): Promise<Recording> {
  const description = path(`${clip.split('/').at(-1)}-${tracks.length}.sdp`);
  return record(tracks.length, async (ports) => {
    const outputs = tracks.map(
      (args, i) => `-map 0:${i} -c copy -rtpflags send_bye${args} -f rtp rtp://127.0.0.1:${ports[i]}?pkt_size=1200`,
    );
    const words = `-nostdin -loglevel error -re -i ${clip} ${outputs.join(' ')} -sdp_file ${description}`.split(' ');
    await run(['ffmpeg', ...words.filter(Boolean)]);
    return readFileSync(description, 'utf8');
  });
}

function remux({ media, packets }: Recording, lateMs = 0): Buffer {
  const parts: Uint8Array[] = [];
  const remuxer = new RtspRemux({ media, lateMs, onBytes: (bytes) => parts.push(new Uint8Array(bytes)) });
  // Each track starts with a sender report, which uses a separate socket and may therefore be read too late.
  const reports = media.map((_, track) => packets.find((one) => one.isControl && one.track === track));
  const inOrder = [...reports.filter((one) => one !== undefined), ...packets.filter((one) => !reports.includes(one))];
  for (const { track, isControl, bytes, at } of inOrder) {
    if (isControl) remuxer.control(track, bytes, at);
    else remuxer.packet(track, bytes, at);
  }
  return Buffer.concat(parts);
}

const x264 = '-c:v libx264 -preset ultrafast -g 25 -pix_fmt yuv420p';
const x265 = '-c:v libx265 -preset ultrafast -x265-params log-level=none:info=0:keyint=25';
const small = 'size=160x90:rate=25';
const stereo = 'sample_rate=48000';

interface Clip {
  readonly codec: 'h264' | 'hevc' | 'none';
  readonly args: string;
  /** FFmpeg's options for video and for audio. */
  readonly rtp: readonly [string, string];
  /** The bitstream filter that FFmpeg applies in its transport stream. */
  readonly filter?: string;
}
const clips: Readonly<Record<string, Clip>> = {
  'H.264, AAC': { codec: 'h264', args: `${x264} -c:a aac`, rtp: [' -bsf:v h264_mp4toannexb', ''] },
  'H.264 with B pictures': { codec: 'h264', args: `${x264} -bf 3 -b_strategy 0 -c:a aac -ac 2`, rtp: ['', ''] },
  'H.264 in four slices': { codec: 'h264', args: `${x264} -slices 4 -b:v 4M -c:a aac -ac 6`, rtp: ['', ''] },
  'H.264 with its parameter sets in the description': {
    codec: 'h264',
    args: `${x264} -c:a aac`,
    rtp: ['', ''],
  },
  'HEVC with B pictures, LATM': {
    codec: 'hevc',
    args: `${x265}:bframes=3 -pix_fmt yuv420p -c:a aac -ac 2`,
    rtp: ['', '+latm'],
  },
  'MPEG-2 with B pictures, MP2': { codec: 'none', args: '-c:v mpeg2video -bf 2 -g 25 -c:a mp2', rtp: ['', ''] },
  'MPEG-4 part 2, MP3': {
    codec: 'none',
    args: '-c:v mpeg4 -g 25 -c:a libmp3lame',
    rtp: ['', ''],
    filter: 'dump_extra=freq=keyframe',
  },
  'H.264, Opus': { codec: 'h264', args: `${x264} -c:a libopus`, rtp: ['', ''] },
};

/**
 * Expects the same frames at times that differ by a constant, and returns it. Audio before the first picture is
 * dropped, and FFmpeg does not send the last frames of AAC, which do not fill a packet.
 */
function expectSame(all: readonly Frame[], expected: readonly Frame[]): number {
  // In a file, the last frame of Opus says how much of it is padding.
  const found = all.slice(0, -1);
  const first = expected.findIndex(
    ({ hash }, i) => hash === found[0]?.hash && expected[i + 1]?.hash === found[1]?.hash,
  );
  const rest = expected.slice(first, first + found.length);
  expect(found.map(({ hash }) => hash)).toEqual(rest.map(({ hash }) => hash));
  expect(expected.length - found.length).toBeLessThan(12);
  const offsets = found.map(({ pts }, i) => pts - rest[i]!.pts);
  // Audio clocks count samples, and either side rounds.
  expect(Math.max(...offsets) - Math.min(...offsets)).toBeLessThan(1);
  return offsets[0] ?? Number.NaN;
}

const fileOf = (name: string) => path(name.replaceAll(/[^\w.]/g, ''));

// Before anything is received: encoding blocks this process, and packets would be lost.
beforeAll(() => {
  for (const [name, { args }] of Object.entries(clips)) makeClip(`${fileOf(name)}.mp4`, small, stereo, args);
});

describe('streams sent by FFmpeg', () => {
  for (const [name, { codec, rtp, filter = 'null' }] of Object.entries(clips)) {
    test.concurrent(name, async () => {
      const file = fileOf(name);
      const recording = await recordFfmpeg(`${file}.mp4`, rtp);
      expect(recording.media).toHaveLength(2);
      writeFileSync(`${file}-ours.ts`, remux(recording));
      await ffmpeg('-i', `${file}.mp4`, '-c', 'copy', '-bsf:v', filter, `${file}.ts`);
      const [ours, theirs] = [await framesOf(`${file}-ours.ts`, codec), await framesOf(`${file}.ts`, codec)];
      const apart = expectSame(ours.audio, theirs.audio) - expectSame(ours.video, theirs.video);
      // FFmpeg's sender reports give the time of sending.
      expect(Math.abs(apart)).toBeLessThan(100);
      for (const [i, { dts, pts }] of ours.video.entries()) {
        expect(dts).toBeLessThanOrEqual(pts);
        if (i > 0) expect(dts).toBeGreaterThan(ours.video[i - 1]!.dts);
      }
      expect(await complaints(`${file}-ours.ts`)).toBe('');
    });
  }
});

describe('packets of UDP', () => {
  test('that arrive out of order make the same stream, and a missing one costs only its picture', async () => {
    const file = path('order');
    makeClip(`${file}.mp4`, small, stereo, `${x264} -b:v 4M -c:a aac`);
    const recording = await recordFfmpeg(`${file}.mp4`, ['', '']);
    const random = seededRandom(7);
    const shuffled = [...recording.packets];
    for (let i = 0; i + 3 < shuffled.length; i += 4) {
      const group = shuffled.slice(i, i + 4).sort(() => random() - 0.5);
      shuffled.splice(i, 4, ...group.map((packet, n) => ({ ...packet, at: shuffled[i + n]!.at })));
    }
    const inOrder = remux(recording, 200);
    writeFileSync(`${file}-in.ts`, inOrder);
    writeFileSync(`${file}-shuffled.ts`, remux({ ...recording, packets: shuffled }, 200));
    const hashes = async (name: string) => (await framesOf(`${file}-${name}.ts`, 'h264')).video.map(({ hash }) => hash);
    const whole = await hashes('in');
    expect(await hashes('shuffled')).toEqual(whole);
    const pictures = recording.packets.filter(({ track, isControl }) => track === 0 && !isControl);
    const lost = pictures[Math.floor(pictures.length * 0.6)];
    writeFileSync(
      `${file}-lossy.ts`,
      remux({ ...recording, packets: recording.packets.filter((one) => one !== lost) }, 200),
    );
    const left = await hashes('lossy');
    expect(left).toHaveLength(whole.length - 1);
    expect(whole.filter((hash) => !left.includes(hash))).toHaveLength(1);
  });
});

test('that carry a transport stream inside RTP pass unchanged', async () => {
  const file = path('inside');
  makeClip(`${file}.ts`, small, stereo, `${x264} -c:a aac`);
  const packets: Packet[] = [];
  const clip = readFileSync(`${file}.ts`);
  for (let at = 0, sequence = 65_530; at < clip.length; at += 1316, sequence++) {
    const bytes = Buffer.concat([Buffer.from('802100000000000000000007', 'hex'), clip.subarray(at, at + 1316)]);
    bytes.writeUInt16BE(sequence & 0xffff, 2);
    packets.push({ track: 0, isControl: false, bytes, at });
  }
  const { media } = parseSdp('m=video 0 RTP/AVP 33', 'rtsp://x/');
  expect(remux({ media, packets }).equals(clip)).toBe(true);
});
