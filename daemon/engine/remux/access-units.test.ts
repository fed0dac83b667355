/** PES packets with several pictures: remuxed from real clips of one picture in each, and synthetic ones for fields. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { clip } from '../../../tests/support/clips.ts';
import { pictureStarts } from '../codec/access-units.ts';
import type { NalCodec } from '../codec/nal-units.ts';
import { nalRole, splitAnnexB } from '../codec/nal-units.ts';
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { packetSize, pidOf } from '../mpegts/packet.ts';
import { type Counter, carry, pesPacket } from './packets-for-test.ts';
import { PesAssembler, type PesPacket, pesLimits } from './pes-assembler.ts';
import { TsToFlv } from './ts-to-flv.ts';

const videoPid = 0x100;

function pesPacketsOf(ts: Uint8Array): PesPacket[] {
  const packets: PesPacket[] = [];
  const keep = (packet: PesPacket) => packets.push({ ...packet, data: Buffer.from(packet.data) });
  const assembler = new PesAssembler({ packet: keep, broken: () => {} }, pesLimits.videoBytes);
  for (let at = 0; at < ts.length; at += packetSize) if (pidOf(ts, at) === videoPid) assembler.push(ts, at);
  return packets;
}

/** With `count` pictures in each PES packet, which has the times of the first. */
function gathered(packets: readonly PesPacket[], count: number): Uint8Array {
  const counter: Counter = { next: 0 };
  const parts: Uint8Array[] = [];
  for (let i = 0; i < packets.length; i += count) {
    const data = Buffer.concat(packets.slice(i, i + count).map((packet) => packet.data));
    const { pts = 0, dts = 0, isRandomAccess: randomAccess } = packets[i]!;
    parts.push(...carry(pesPacket(data, { pts, dts, length: 0 }), { counter, randomAccess }));
  }
  return Buffer.concat(parts);
}

function convert(ts: Uint8Array, codec: NalCodec): FlvMessage[] {
  const messages: FlvMessage[] = [];
  const events = { message: (message: FlvMessage) => messages.push(message), soundFits() {} };
  const converter = new TsToFlv(events);
  converter.setStreams({ video: { pid: videoPid, codec } });
  converter.write(ts);
  return messages.filter(({ type }) => type === messageType.video);
}

const x265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none:bframes=0:keyint=10:slices=2'];
const clips = {
  h264: ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0', '-g', '10', '-x264-params', 'slices=3'],
  hevc: x265,
} as const;

describe.each(['h264', 'hevc'] as const)('%s pictures that share a PES packet', (codec) => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=50:duration=1'];
  const packets = pesPacketsOf(readFileSync(clip([...picture, ...clips[codec]], 'ts')));

  test.each([2, 3, 7])('%d of them are the same messages with the same times as one in each', (count) => {
    expect(packets.length).toBeGreaterThan(40);
    // The last packet is known to be complete only when the next one arrives.
    const max = Math.floor((packets.length - 1) / count - 1) * count;
    const single = convert(gathered(packets, 1), codec);
    const shared = convert(gathered(packets, count), codec);
    expect(single.length).toBeGreaterThan(40);
    expect(shared.slice(0, max)).toEqual(single.slice(0, max));
  });

  test('are found without delimiters', () => {
    const units = splitAnnexB(Buffer.concat(packets.slice(0, 12).map(({ data }) => data)))!;
    const bare = units.filter((unit) => nalRole(codec, unit[0]!) !== 'delimiter');
    const roles = bare.map((unit) => nalRole(codec, unit[0]!));
    expect(pictureStarts(codec, bare, roles, undefined)).toHaveLength(12);
  });
});

describe('fields', () => {
  const bits = (text: string) => {
    const all = text.replaceAll(' ', '').padEnd(64, '0');
    return Array.from({ length: all.length / 8 }, (_, i) => Number.parseInt(all.slice(i * 8, i * 8 + 8), 2));
  };
  /** Main profile, 4 bits of frame number, 320x192 in fields or frames. */
  const sps = Uint8Array.from([0x67, 77, 0, 40, ...bits('1 1 011 010 0 000010100 00110 0 0 1 0 0 1')]);
  const slice = (frame: number, field: string) =>
    Uint8Array.from([0x41, ...bits(`1 0001000 1 ${frame.toString(2).padStart(4, '0')} ${field} 1111`)]);
  const [top, bottom, whole] = ['1 0', '1 1', '0'];
  const starts = (units: readonly Uint8Array[]) =>
    pictureStarts(
      'h264',
      units,
      units.map((unit) => nalRole('h264', unit[0]!)),
      sps,
    );

  test('of one frame stay together', () => {
    expect(starts([slice(3, top), slice(3, bottom)])).toEqual([0]);
    expect(starts([slice(3, top), slice(3, bottom), slice(4, bottom), slice(4, top)])).toEqual([0, 2]);
  });

  test('of different frames, and whole frames of a stream that may have fields, are separate', () => {
    expect(starts([slice(3, top), slice(4, bottom)])).toEqual([0, 1]);
    expect(starts([slice(3, whole), slice(3, whole), slice(4, whole)])).toEqual([0, 1, 2]);
  });
});
