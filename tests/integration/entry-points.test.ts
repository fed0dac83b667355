/**
 * Transport streams without the usual marks of random access points, as some DVB encoders and multiplexers send them:
 * external players can play all of them, over every protocol.
 */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { adaptationFlags, packetSize, patPid, pidOf, randomAccessFlag } from '../../daemon/engine/mpegts/packet.ts';
import { packetsOf, withChecksum } from '../../daemon/engine/mpegts/psi.ts';
import { clip } from '../support/clips.ts';
import { leasePorts } from '../support/ports.ts';
import { fileIn, inspect, killAll, record, run } from './live-media.ts';
import { openRigHub } from './rig-hub.ts';

setDefaultTimeout(90_000);

const stage = openRigHub({ name: 'entry-points', timeDivisor: 1 });
const cleanups: (() => void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) cleanup();
  await killAll();
});

/** Longer than any recording of a test, which must not contain the seam. */
const clipSeconds = 20;
const recordedSeconds = 3;
/** A UDP receiver joins within a GOP, which lasts a second. */
const leastPictures = (recordedSeconds - 1.2) * 25;

/** The bytes of a clip with these codecs. */
function encoded(...codecs: readonly string[]): Buffer {
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25', '-f', 'lavfi', '-i', 'sine=sample_rate=48000'];
  return readFileSync(
    clip([...inputs, '-t', `${clipSeconds}`, ...codecs, '-b:v', '1500k', '-g', '25', '-bf', '0'], 'ts'),
  );
}

/** Removes the random access flags. */
function unflagged(stream: Buffer): Buffer {
  for (let at = 0; at < stream.length; at += packetSize) {
    if (adaptationFlags(stream, at) & randomAccessFlag) stream[at + 5]! &= ~randomAccessFlag;
  }
  return stream;
}

/** Adds a first program to the PAT that never gets a PMT. */
function afterVoidProgram(stream: Buffer): Buffer {
  const pmtPid = 0x1000;
  const programs = [0, 99, 0xe0 | 0x1f, 0x40, 0, 1, 0xe0 | (pmtPid >> 8), pmtPid & 0xff];
  const pat = withChecksum(Uint8Array.of(0, 0xb0, 17, 0, 1, 0xc1, 0, 0, ...programs));
  for (let at = 0; at < stream.length; at += packetSize) {
    if (pidOf(stream, at) === patPid) stream.set(packetsOf(pat, patPid, stream[at + 3]! & 15), at);
  }
  return stream;
}

const streams = {
  'MPEG-2 without random access flags': {
    bytes: () => unflagged(encoded('-c:v', 'mpeg2video', '-c:a', 'mp2')),
    ...{ videoCodec: 'mpeg2video', audioCodec: 'mp2' },
  },
  'MPEG-4 part 2 without random access flags': {
    bytes: () => unflagged(encoded('-c:v', 'mpeg4', '-c:a', 'aac')),
    ...{ videoCodec: 'mpeg4', audioCodec: 'aac' },
  },
  'a first program without a PMT': {
    bytes: () => afterVoidProgram(encoded('-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac')),
    ...{ videoCodec: 'h264', audioCodec: 'aac' },
  },
} as const;

/** Sends the clip repeatedly at its own rate. */
function sendTo(port: number, stream: Buffer): void {
  const socket = createSocket('udp4');
  const datagram = 7 * packetSize;
  const perMs = stream.length / (clipSeconds * 1000);
  const began = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < (performance.now() - began) * perMs; sent += datagram) {
      const at = sent % (stream.length - (stream.length % datagram));
      socket.send(stream.subarray(at, at + datagram), port, '127.0.0.1');
    }
  }, 5);
  cleanups.push(() => {
    clearInterval(timer);
    socket.close();
  });
}

const cases = Object.keys(streams).flatMap((name) => ['UDP', 'SRT'].map((way) => [name, way] as const));
test.each(cases)('%s over %s is played over SRT, HTTP, HLS and UDP', async (name, way) => {
  const { bytes, videoCodec, audioCodec } = streams[name as keyof typeof streams];
  const [input, output] = [leasePorts(2), leasePorts(1)];
  const url = way === 'UDP' ? `udp://127.0.0.1:${input}` : `srt://127.0.0.1:${input + 1}?mode=listener&latency=120`;
  const channel = (await stage.rig.addInput({ type: 1, url })).of;
  await channel.addOutput({ type: 1, url: `udp://127.0.0.1:${output}` });
  if (way === 'SRT') run(['srt-live-transmit', '-q', `udp://127.0.0.1:${input}`, `srt://127.0.0.1:${input + 1}`]);
  sendTo(input, bytes());
  await channel.untilLive(20_000);
  const { srt, ts, hls } = channel.play;
  const players = Object.entries({ SRT: srt, HTTP: ts, HLS: hls, UDP: `udp://127.0.0.1:${output}` });
  const found = await Promise.all(
    players.map(async ([player, from]) => {
      const file = fileIn(stage.folder, `${name}-${way}-${player}.mkv`.replaceAll(' ', '-'));
      const receiver = record(from, file, recordedSeconds);
      if ((await receiver.exited) !== 0) return [player, receiver.stderr()];
      const recording = await inspect(file);
      const isWhole = recording.pictures >= leastPictures && recording.longestGap.video < 0.1;
      return [player, { videoCodec: recording.videoCodec, audioCodec: recording.audioCodec, isWhole }];
    }),
  );
  const good = { videoCodec, audioCodec, isWhole: true };
  expect(Object.fromEntries(found)).toEqual({ SRT: good, HTTP: good, HLS: good, UDP: good });
});
