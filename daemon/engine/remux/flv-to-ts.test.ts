import { expect, test } from 'bun:test';
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { packetSize, pidOf } from '../mpegts/packet.ts';
import { streamsInPackets } from '../mpegts/tables.ts';
import { audioFrame, audioHeader, videoFrame, videoHeader } from './flv-tags.ts';
import { FlvToTs } from './flv-to-ts.ts';
import { PesAssembler, pesLimits } from './pes-assembler.ts';
import { TsMuxer } from './ts-muxer.ts';
import { pids } from './ts-tables.ts';

const config = Buffer.from('0142c028ffe100046742c028010003 68ce0f'.replace(' ', ''), 'hex');
const [sps, pps] = ['6742c028', '68ce0f'];
const aac48Stereo = Uint8Array.of(0x11, 0x90);

interface Found {
  readonly hex: string;
  readonly dts: number;
  readonly pts: number;
}

function setUp() {
  const muxer = new TsMuxer();
  const video: Found[] = [];
  const audio: Found[] = [];
  let cuts = 0;
  let changes = 0;
  const converter = new FlvToTs(muxer, { cut: () => cuts++, streamsChanged: () => changes++ });
  const collect = (into: Found[]) =>
    new PesAssembler(
      {
        packet: ({ data, pts = -1, dts = -1 }) => into.push({ hex: data.toString('hex'), dts, pts }),
        broken: () => expect.unreachable(),
      },
      pesLimits.videoBytes,
    );
  const assemblers = new Map([
    [pids.video as number, collect(video)],
    [pids.audio as number, collect(audio)],
  ]);
  return {
    ...{ muxer, converter, video, audio },
    send(type: FlvMessage['type'], timestamp: number, payload: Uint8Array) {
      converter.message({ type, timestamp, payload });
      const bytes = muxer.take();
      for (let at = 0; bytes && at < bytes.length; at += packetSize) assemblers.get(pidOf(bytes, at))?.push(bytes, at);
    },
    cuts: () => cuts,
    changes: () => changes,
    streams: () => streamsInPackets(muxer.tables).map(({ codec }) => codec),
  };
}

const picture = (isKeyframe: boolean, units: number[][], compositionMs = 0) =>
  videoFrame('h264', { isKeyframe, compositionMs, units: units.map((unit) => Uint8Array.from(unit)) });
const start = '00000001';
const delimiter = `${start}09f0`;

test('a keyframe starts with delimiter and parameter sets, any other frame with a delimiter', () => {
  const { send, video, cuts } = setUp();
  send(messageType.video, 0, videoHeader('h264', config));
  send(messageType.video, 0, picture(true, [[0x65, 1, 2]], 80));
  send(
    messageType.video,
    40,
    picture(
      false,
      [
        [9, 0xf0],
        [0x41, 3],
      ],
      0,
    ),
  );
  expect(video.map(({ hex }) => hex)).toEqual([
    `${delimiter}${start}${sps}${start}${pps}${start}650102`,
    `${delimiter}${start}4103`,
  ]);
  expect(video.map(({ pts, dts }) => [dts - video[0]!.dts, pts - dts])).toEqual([
    [0, 7200],
    [3600, 0],
  ]);
  expect(cuts()).toBe(1);
});

test('a keyframe that contains its own parameter sets gets no others', () => {
  const { send, video } = setUp();
  send(messageType.video, 0, videoHeader('h264', config));
  send(
    messageType.video,
    0,
    picture(true, [
      [0x67, 1],
      [0x68, 2],
      [0x65, 3],
    ]),
  );
  expect(video[0]?.hex).toBe(`${delimiter}${start}6701${start}6802${start}6503`);
});

test('nothing is sent before a header and a keyframe', () => {
  const { send, video, audio } = setUp();
  send(messageType.video, 0, picture(true, [[0x65]]));
  send(messageType.video, 10, videoHeader('h264', config));
  send(messageType.video, 20, picture(false, [[0x41]]));
  send(messageType.audio, 20, audioFrame(Uint8Array.of(1)));
  expect([video.length, audio.length]).toEqual([0, 0]);
});

test('a frame with invalid lengths is dropped, and after an invalid keyframe everything up to the next one', () => {
  const { send, video } = setUp();
  const broken = (isKeyframe: boolean) => {
    const payload = picture(isKeyframe, [[isKeyframe ? 0x65 : 0x41, 1, 2, 3]]);
    payload[8] = 200;
    return payload;
  };
  send(messageType.video, 0, videoHeader('h264', config));
  send(messageType.video, 0, picture(true, [[0x65, 1]]));
  send(messageType.video, 40, broken(false));
  send(messageType.video, 80, picture(false, [[0x41, 2]]));
  send(messageType.video, 120, broken(true));
  send(messageType.video, 160, picture(false, [[0x41, 3]]));
  send(messageType.video, 200, picture(true, [[0x65, 4]]));
  expect(video.map(({ dts }) => (dts - video[0]!.dts) / 90)).toEqual([0, 80, 200]);
});

test('audio alone is a stream of random access points', () => {
  const { send, audio, cuts, streams } = setUp();
  send(messageType.audio, 0, audioHeader(aac48Stereo));
  for (let i = 0; i < 3; i++) send(messageType.audio, i * 21, audioFrame(Uint8Array.of(i, i)));
  expect(audio.map(({ hex }) => hex)).toEqual(['fff14c80013ffc0000', 'fff14c80013ffc0101', 'fff14c80013ffc0202']);
  expect(cuts()).toBe(3);
  expect(streams()).toEqual(['aac']);
});

test('audio continues when the announced video never arrives', () => {
  const { send, audio } = setUp();
  send(messageType.video, 0, videoHeader('h264', config));
  send(messageType.audio, 0, audioHeader(aac48Stereo));
  for (let at = 0; at < 2500; at += 20) send(messageType.audio, at, audioFrame(Uint8Array.of(1)));
  // The frames of half a second, three to a packet, and one that waits for more.
  expect(audio.length).toBe(8);
});

test('audio frames share a packet until the next picture, and none waits longer', () => {
  const { send, audio } = setUp();
  send(messageType.video, 0, videoHeader('h264', config));
  send(messageType.audio, 0, audioHeader(aac48Stereo));
  send(messageType.video, 0, picture(true, [[0x65, 1]]));
  for (const at of [0, 21]) send(messageType.audio, at, audioFrame(Uint8Array.of(at)));
  expect(audio).toEqual([]);
  send(messageType.video, 40, picture(false, [[0x41, 1]]));
  expect(audio.map(({ pts }) => pts)).toEqual([90_000]);
  expect(audio[0]!.hex).toBe('fff14c80011ffc00fff14c80011ffc15'.replaceAll('80011f', '80011f'));
});

test('a picture that is shown before its message time is decoded earlier, and keeps its time', () => {
  const { send, video } = setUp();
  send(messageType.video, 0, videoHeader('h264', config));
  for (const [at, shift] of [
    [0, 0],
    [40, 80],
    [80, -40],
    [120, 0],
  ] as const) {
    send(messageType.video, at, picture(at === 0, [[at === 0 ? 0x65 : 0x41, 1]], shift));
  }
  expect(video.map(({ pts }) => Math.round((pts - 90_000) / 90))).toEqual([0, 120, 40, 120]);
  expect(video.every(({ pts, dts }) => dts <= pts)).toBe(true);
});

test('audio that starts later joins the tables; an empty header, which FFmpeg sends first, does not', () => {
  const { send, streams, changes } = setUp();
  send(messageType.video, 0, videoHeader('h264', config));
  send(messageType.audio, 0, audioHeader(new Uint8Array(0)));
  send(messageType.video, 0, picture(true, [[0x65]]));
  expect(streams()).toEqual(['h264']);
  send(messageType.audio, 10, audioHeader(aac48Stereo));
  expect(streams()).toEqual(['h264', 'aac']);
  expect(changes()).toBe(2);
});

test('timestamps grow across the 32-bit wrap, and two frames in one millisecond differ', () => {
  const { send, video } = setUp();
  send(messageType.video, 0, videoHeader('h264', config));
  for (const at of [2 ** 32 - 20, 2 ** 32 - 20, 20, 60]) send(messageType.video, at, picture(true, [[0x65, 1]]));
  const steps = video.slice(1).map(({ dts }, i) => dts - video[i]!.dts);
  expect(steps).toEqual([1, 3599, 3600]);
});
