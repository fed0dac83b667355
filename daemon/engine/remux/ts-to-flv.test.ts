import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { adtsFrame } from '../codec/aac.ts';
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { type AudioTag, parseAudioTag, parseVideoTag } from '../flv/tag.ts';
import { packetSize } from '../mpegts/packet.ts';
import { makeClip } from './clips-for-test.ts';
import { type Counter, carry, type PesOptions, pesPacket } from './packets-for-test.ts';
import { type TsStreams, TsToFlv } from './ts-to-flv.ts';

const video = { pid: 0x100, codec: 'h264' } as const;
const audio = { pid: 0x101, codec: 'aac' } as const;
const mpegAudio = { pid: 0x101, codec: 'mpeg' } as const;

function setUp(streams: TsStreams = { video, audio }) {
  const messages: FlvMessage[] = [];
  const fits: boolean[] = [];
  const converter = new TsToFlv({ message: (message) => messages.push(message), soundFits: (one) => fits.push(one) });
  converter.setStreams(streams);
  const counters: Record<number, Counter> = { [video.pid]: { next: 0 }, [audio.pid]: { next: 0 } };
  const send = (pid: number, data: Uint8Array, pes: PesOptions, lost: readonly number[] = []) => {
    const packets = carry(pesPacket(data, pes), { pid, counter: counters[pid]! });
    for (const [i, packet] of packets.entries()) if (!lost.includes(i)) converter.write(packet);
  };
  const frames = (type: number) =>
    messages.filter(
      (each) =>
        each.type === type &&
        (type === messageType.video ? parseVideoTag(each.payload) : parseAudioTag(each.payload))?.kind === 'frame',
    );
  return {
    ...{ converter, messages, send },
    pictures: () =>
      frames(messageType.video).map(({ timestamp, payload }) => ({ timestamp, tag: parseVideoTag(payload)!, payload })),
    sounds: () => frames(messageType.audio).map(({ timestamp }) => timestamp),
    fits,
  };
}

const start = [0, 0, 0, 1];
// Parameter sets of x264 for 1920x1080 and for 320x180.
const large = { sps: '6742c028da01e0089f970110000003001000000303c0f1832a', pps: '68ce0fc8' };
const little = { sps: '6764000cacd941419f9f011000000300100000030320f14299', pps: '68ebe3cb22c0' };
const bytes = (hex: string) => [...start, ...Buffer.from(hex, 'hex')];
const delimiter = [...start, 9, 0xf0];
const slice = (seed: number, size = 400) => [...start, 0x41, ...Array.from({ length: size }, () => seed)];
const keySlice = (seed: number) => [...start, 0x65, ...Array.from({ length: 600 }, () => seed)];
const keyframe = (sets = large, seed = 7) =>
  Uint8Array.from([...delimiter, ...bytes(sets.sps), ...bytes(sets.pps), ...keySlice(seed)]);
const inter = (seed: number) => Uint8Array.from([...delimiter, ...slice(seed)]);

const aac = (rateIndex: number, size = 50, channels = 2) =>
  Buffer.concat(adtsFrame({ objectType: 2, rateIndex, rate: 0, channels }, new Uint8Array(size).fill(5))!);

describe('pictures', () => {
  test('contain their slices and SEI with lengths, and nothing specific to the byte stream format', () => {
    const { send, pictures } = setUp();
    const sei = [...start, 6, 5, 1, 1, 0x80];
    const filler = [0, 0, 1, 12, 0xff, 0xff, 0x80];
    send(video.pid, Uint8Array.from([...keyframe(), ...slice(9, 3), ...sei, ...filler, 0, 0, 0]), {
      pts: 7200,
      dts: 3600,
    });
    const { tag, payload, timestamp } = pictures()[0]!;
    expect({ timestamp, key: tag.isKeyframe, composition: tag.compositionMs }).toEqual({
      timestamp: 40,
      key: true,
      composition: 40,
    });
    const body = Buffer.from(payload.subarray(tag.dataOffset));
    expect([body.readUInt32BE(0), body.readUInt32BE(605), body.readUInt32BE(613)]).toEqual([601, 4, 5]);
    expect(body.length).toBe(4 + 601 + 4 + 4 + 4 + 5);
  });

  test('start with a keyframe, after its header', () => {
    const { send, messages, pictures } = setUp();
    send(video.pid, inter(1), { pts: 0 });
    send(video.pid, keyframe(), { pts: 3600 });
    send(video.pid, inter(2), { pts: 7200 });
    expect(pictures().map(({ timestamp }) => timestamp)).toEqual([40, 80]);
    const kinds = messages.map(({ type, payload }) =>
      type === messageType.video ? parseVideoTag(payload)?.kind : 'data',
    );
    expect(kinds).toEqual(['data', 'header', 'frame', 'frame']);
  });

  test('of another size follow a new header', () => {
    const { send, messages } = setUp();
    for (const [i, sets] of [large, large, little, little].entries())
      send(video.pid, keyframe(sets), { pts: i * 3600 });
    const headers = messages.filter(
      ({ type, payload }) => type === messageType.video && parseVideoTag(payload)?.kind === 'header',
    );
    expect(headers.map(({ timestamp }) => timestamp)).toEqual([0, 80]);
  });

  test('that lost a packet are dropped; without a keyframe nothing continues', () => {
    const { send, pictures } = setUp();
    send(video.pid, keyframe(), { pts: 0 });
    send(video.pid, inter(1), { pts: 3600 }, [1]);
    send(video.pid, inter(2), { pts: 7200 });
    expect(pictures().map(({ timestamp }) => timestamp)).toEqual([0, 80]);
  });

  test('continue across the wrap of the clock, forward', () => {
    const { send, pictures } = setUp();
    const from = 2 ** 33 - 5400;
    for (let i = 0; i < 4; i++) {
      const dts = from + i * 3600;
      send(video.pid, keyframe(), { pts: (dts + 3600) % 2 ** 33, dts: dts % 2 ** 33 });
    }
    const times = pictures().map(({ timestamp }) => timestamp);
    expect(times.slice(1).map((time, i) => time - times[i]!)).toEqual([40, 40, 40]);
    expect(pictures().map(({ tag }) => tag.compositionMs)).toEqual([40, 40, 40, 40]);
  });

  test('without a time continue at the interval of the previous ones', () => {
    const { send, pictures } = setUp();
    send(video.pid, keyframe(), { pts: 0 });
    send(video.pid, inter(1), { pts: 1800 });
    send(video.pid, inter(2), {});
    send(video.pid, inter(3), { pts: 5400 });
    expect(pictures().map(({ timestamp }) => timestamp)).toEqual([0, 20, 40, 60]);
  });
});

describe('audio', () => {
  test('with several frames in a packet has a time for each', () => {
    const { send, sounds } = setUp();
    send(audio.pid, Buffer.concat([aac(3), aac(3), aac(3)]), { pts: 90_000, streamId: 0xc0 });
    expect(sounds()).toEqual([1000, 1021, 1043]);
  });

  test('that starts in one packet and ends in the next keeps its time', () => {
    const { send, sounds } = setUp();
    const all = Buffer.concat([aac(3), aac(3), aac(3)]);
    send(audio.pid, all.subarray(0, 80), { pts: 90_000, streamId: 0xc0 });
    send(audio.pid, all.subarray(80), { pts: 93_840, streamId: 0xc0 });
    expect(sounds()).toEqual([1000, 1021, 1043]);
  });

  test('that changes its rate sends a new header', () => {
    const { send, messages } = setUp();
    for (const [i, rateIndex] of [3, 3, 4].entries())
      send(audio.pid, aac(rateIndex), { pts: i * 1920, streamId: 0xc0 });
    const tags = messages
      .filter(({ type }) => type === messageType.audio)
      .map(({ payload }) => parseAudioTag(payload) as AudioTag);
    expect(tags.map(({ kind }) => kind)).toEqual(['header', 'frame', 'frame', 'header', 'frame']);
  });

  test('with an undescribed channel layout is reported, not passed on', () => {
    const { send, messages, fits } = setUp();
    send(audio.pid, aac(3, 50, 0), { pts: 0, streamId: 0xc0 });
    expect(fits).toEqual([false]);
    expect(messages).toHaveLength(0);
  });

  test('of MPEG layer 3 is supported, of layer 2 it is not', () => {
    // 48 kHz: 96 bytes at 32 kbit/s.
    const frame = (layerBits: number) => Buffer.concat([Uint8Array.of(0xff, layerBits, 0x14, 0), new Uint8Array(92)]);
    const third = setUp({ video, audio: mpegAudio });
    third.send(audio.pid, Buffer.concat([frame(0xfb), frame(0xfb)]), { pts: 90_000, streamId: 0xc0 });
    expect([third.fits, third.sounds()]).toEqual([[true], [1000, 1024]]);
    const second = setUp({ video, audio: mpegAudio });
    second.send(audio.pid, Buffer.concat([frame(0xfd), frame(0xfd)]), { pts: 90_000, streamId: 0xc0 });
    expect([second.fits, second.messages]).toEqual([[false], []]);
  });
});

describe('a real clip with lost packets', () => {
  const folder = mkdtempSync(`${tmpdir()}/sb-holes-`);
  let clip: Uint8Array;
  beforeAll(async () => {
    const file = `${folder}/clip.ts`;
    makeClip(file, 'size=160x90:rate=25', 'sample_rate=48000', '-c:v libx264 -preset ultrafast -bf 2 -g 12 -c:a aac');
    clip = readFileSync(file);
    rmSync(folder, { recursive: true });
  });

  function convert(packets: Iterable<Uint8Array>): string[] {
    const { converter, messages } = setUp();
    for (const packet of packets) converter.write(packet);
    return messages
      .filter(({ type }) => type !== messageType.data)
      .map(({ type, payload }) => `${type} ${Bun.hash(payload)}`);
  }

  function* packetsOf(random: () => number, lossRate: number) {
    for (let at = 0; at < clip.length; at += packetSize) {
      if (random() >= lossRate) yield clip.subarray(at, at + packetSize);
    }
  }

  test('yields fewer frames, and no invented ones', () => {
    const all = convert(packetsOf(() => 1, 0));
    const whole = new Set(all);
    expect(whole.size).toBeGreaterThan(90);
    let seed = 11;
    const random = () => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed / 0x7fffffff;
    };
    for (let round = 0; round < 40; round++) {
      const found = convert(packetsOf(random, 0.02 + round / 400));
      expect(found.filter((frame) => !whole.has(frame))).toEqual([]);
      expect(found.length).toBeLessThan(all.length);
    }
  });
});
