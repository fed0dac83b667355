/** Our remuxer and FFmpeg's copy mode over the same clips: the same frames, the same bytes, the same times. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import {
  complaints,
  type Frame,
  type Frames,
  ffmpeg,
  framesOf,
  inFolder,
  makeClip,
  run,
  toFlv,
  toTs,
} from './clips-for-test.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(`${tmpdir()}/sb-remux-`);
const path = inFolder(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Clip {
  readonly codec: 'h264' | 'hevc' | 'none';
  readonly picture: string;
  readonly sound: string;
  readonly args: string;
}
const x264 = '-c:v libx264 -preset ultrafast -g 25';
const x265 = '-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=25';
const constantRate = '-b:v 400k -maxrate 400k -bufsize 400k';
const small = 'size=160x90';
const clips: Readonly<Record<string, Clip>> = {
  'baseline, mono 44.1 kHz': {
    ...{ codec: 'h264', picture: `${small}:rate=25`, sound: 'sample_rate=44100' },
    args: `${x264} -profile:v baseline -pix_fmt yuv420p -c:a aac -ac 1`,
  },
  'B-frames at 29.97, stereo 48 kHz': {
    ...{ codec: 'h264', picture: `${small}:rate=30000/1001`, sound: 'sample_rate=48000' },
    args: `${x264} -profile:v high -bf 3 -b_strategy 0 -x264-params b-pyramid=normal -pix_fmt yuv420p -c:a aac -ac 2`,
  },
  'four slices at 50, 5.1 sound': {
    ...{ codec: 'h264', picture: `${small}:rate=50`, sound: 'sample_rate=48000' },
    args: `${x264} -profile:v main -bf 2 -b_strategy 0 -slices 4 -pix_fmt yuv420p -c:a aac -ac 6`,
  },
  'interlaced 4:2:2 10 bit at 23.976, 32 kHz': {
    ...{ codec: 'h264', picture: `${small}:rate=24000/1001`, sound: 'sample_rate=32000' },
    args: `${x264} -flags +ildct+ilme -x264-params tff=1 -pix_fmt yuv422p10le -c:a aac -ac 2`,
  },
  'open groups, delimiters, constant rate with filler': {
    ...{ codec: 'h264', picture: `${small}:rate=25`, sound: 'sample_rate=48000' },
    args: `${x264} -bf 2 -x264-params open-gop=1:aud=1:nal-hrd=cbr ${constantRate} -pix_fmt yuv420p -c:a aac`,
  },
  'one sound frame to a packet': {
    ...{ codec: 'h264', picture: `${small}:rate=60`, sound: 'sample_rate=48000' },
    args: `${x264} -pix_fmt yuv420p -c:a aac -pes_payload_size 0`,
  },
  'picture only': { codec: 'h264', picture: `${small}:rate=10`, sound: '', args: `${x264} -bf 1 -pix_fmt yuv420p` },
  'sound only': { codec: 'none', picture: '', sound: 'sample_rate=48000:duration=6', args: '-c:a aac' },
  'HEVC with B-frames': {
    ...{ codec: 'hevc', picture: `${small}:rate=25`, sound: 'sample_rate=48000' },
    args: `${x265}:bframes=3 -pix_fmt yuv420p -c:a aac`,
  },
  'HEVC, 10 bit, open groups': {
    ...{ codec: 'hevc', picture: `${small}:rate=50`, sound: 'sample_rate=44100' },
    args: `${x265}:open-gop=1:bframes=2:repeat-headers=1 -pix_fmt yuv420p10le -c:a aac`,
  },
  MP3: {
    ...{ codec: 'h264', picture: `${small}:rate=25`, sound: 'sample_rate=44100' },
    args: `${x264} -pix_fmt yuv420p -c:a libmp3lame -ac 1`,
  },
  'MP3 at half the rate, alone': {
    ...{ codec: 'none', picture: '', sound: 'sample_rate=22050:duration=6' },
    args: '-c:a libmp3lame -ac 2',
  },
};
const names = Object.keys(clips);
const file = (name: string, kind: string) => path(`${names.indexOf(name)}-${kind}`);

beforeAll(async () => {
  for (const [name, { picture, sound, args }] of Object.entries(clips)) {
    makeClip(file(name, 'clip.ts'), picture, sound, args);
  }
});

/** A reader of a bus starts at a keyframe, or once it is clear that none will arrive; earlier audio is dropped. */
function withoutLead(ours: readonly Frame[], theirs: readonly Frame[]): readonly Frame[] {
  return theirs.slice(Math.max(0, theirs.length - ours.length));
}

/** The same frames with the same bytes, at times that differ by a constant. */
function expectSame(ours: Frames, theirs: Frames): void {
  const audio = withoutLead(ours.audio, theirs.audio);
  const expected = [...theirs.video, ...audio];
  const found = [...ours.video, ...ours.audio];
  expect(found.map(({ hash }) => hash)).toEqual(expected.map(({ hash }) => hash));
  expect(found.length).toBeGreaterThan(15);
  const offsets = found.flatMap(({ dts, pts }, i) => [dts - expected[i]!.dts, pts - expected[i]!.pts]);
  // FLV has millisecond resolution, and either side rounds.
  expect(Math.max(...offsets) - Math.min(...offsets)).toBeLessThanOrEqual(2.1);
}

describe('from TS to FLV', () => {
  for (const name of names) {
    test(name, async () => {
      const { codec } = clips[name]!;
      const clip = readFileSync(file(name, 'clip.ts'));
      const { bytes, supports } = toFlv(clip, [1316, 188, 7, 3000, 564]);
      expect(supports).toEqual(['possible']);
      expect(toFlv(clip, [188]).bytes.equals(bytes)).toBe(true);
      if (codec === 'hevc') return;
      writeFileSync(file(name, 'ours.flv'), bytes);
      await ffmpeg('-i', file(name, 'clip.ts'), '-c', 'copy', file(name, 'theirs.flv'));
      const [ours, theirs] = [
        await framesOf(file(name, 'ours.flv'), codec),
        await framesOf(file(name, 'theirs.flv'), codec),
      ];
      expectSame(ours, theirs);
      expect(await complaints(file(name, 'ours.flv'))).toBe('');
    });
  }
});

describe('from FLV to TS', () => {
  for (const name of names) {
    test(name, async () => {
      const { codec } = clips[name]!;
      // FFmpeg writes no HEVC into FLV, so the test converts it back and forth.
      const isHevc = codec === 'hevc';
      const flv = isHevc ? toFlv(readFileSync(file(name, 'clip.ts'))).bytes : readFileSync(file(name, 'theirs.flv'));
      const { bytes, supports } = toTs(flv);
      expect(supports).toEqual(['possible']);
      writeFileSync(file(name, 'ours.ts'), bytes);
      if (!isHevc) await ffmpeg('-i', file(name, 'theirs.flv'), '-c', 'copy', file(name, 'theirs.ts'));
      const ours = await framesOf(file(name, 'ours.ts'), codec);
      const theirs = await framesOf(file(name, isHevc ? 'clip.ts' : 'theirs.ts'), codec);
      expectSame(ours, theirs);
      expect(await complaints(file(name, 'ours.ts'))).toBe('');
    });
  }
});

test('channels that AAC describes in a program config element survive both conversions', async () => {
  const [clip, flv, ts] = ['quad.ts', 'quad.flv', 'quad-again.ts'].map((name) => path(name)) as [
    string,
    string,
    string,
  ];
  const quad = '-c:a aac -af pan=quad|c0=c0|c1=0.5*c0|c2=0.3*c0|c3=0.1*c0';
  makeClip(clip, `${small}:rate=25`, 'sample_rate=48000', `${x264} -pix_fmt yuv420p ${quad}`);
  const there = toFlv(readFileSync(clip));
  writeFileSync(flv, there.bytes);
  const back = toTs(there.bytes);
  writeFileSync(ts, back.bytes);
  expect([there.supports, back.supports]).toEqual([['possible'], ['possible']]);
  const layout = 'stream=channels,channel_layout';
  const soundOf = async (file: string) => [
    (await run(['ffprobe', '-v', 'error', '-select_streams', 'a', '-show_entries', layout, '-of', 'csv=p=0', file]))
      // And one more for the program.
      .split('\n')[0],
    await ffmpeg('-i', file, '-map', '0:a', '-f', 'md5', '-'),
  ];
  const original = await soundOf(clip);
  expect(original[0]).toBe('4,quad');
  expect(await soundOf(flv)).toEqual(original);
  expect(await soundOf(ts)).toEqual(original);
});

test('a stream muxed by GStreamer is converted', async () => {
  const clip = path('gstreamer.ts');
  const picture = 'videotestsrc num-buffers=60 ! video/x-raw,width=160,height=90 ! x264enc bframes=2 key-int-max=30';
  const sound = 'audiotestsrc num-buffers=90 samplesperbuffer=1024 ! audio/x-raw,rate=48000 ! voaacenc';
  const graph = `${picture} ! h264parse ! mux. ${sound} ! aacparse ! mux. mpegtsmux name=mux ! filesink location=${clip}`;
  await run(['gst-launch-1.0', '-q', ...graph.split(' ')]);
  writeFileSync(path('gstreamer.flv'), toFlv(readFileSync(clip)).bytes);
  await ffmpeg('-i', clip, '-c', 'copy', path('gstreamer-theirs.flv'));
  expectSame(await framesOf(path('gstreamer.flv'), 'h264'), await framesOf(path('gstreamer-theirs.flv'), 'h264'));
  expect(await complaints(path('gstreamer.flv'))).toBe('');
});
