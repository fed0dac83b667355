import { expect, test } from 'bun:test';
import type { MediaUnit } from './depacketizer.ts';
import { openDepacketizer } from './depacketizers.ts';
import { parseSdp } from './sdp.ts';

interface Sent {
  readonly hex: string;
  readonly isMarked?: boolean;
  readonly timestamp?: number;
}

function setUp(kind: 'video' | 'audio', encoding: string, fmtp = '') {
  const lines = [`m=${kind} 0 RTP/AVP 96`, `a=rtpmap:96 ${encoding}`, fmtp && `a=fmtp:96 ${fmtp}`];
  const [media] = parseSdp(lines.join('\r\n'), 'rtsp://x/').media;
  const units: { hex: string; delay: number; timestamp: number }[] = [];
  const onUnit = ({ parts, timestamp, delay = 0 }: MediaUnit) =>
    units.push({ hex: Buffer.concat(parts).toString('hex'), delay, timestamp });
  const depacketizer = media && openDepacketizer(media, onUnit);
  return {
    units,
    depacketizer,
    hex: () => units.map(({ hex }) => hex),
    send(...packets: Sent[]) {
      for (const { hex, isMarked = true, timestamp = 0 } of packets) {
        depacketizer?.take(Buffer.from(hex, 'hex'), timestamp, isMarked);
      }
    },
  };
}
const generic = 'mode=AAC-hbr; sizeLength=13; indexLength=3; indexDeltaLength=3; config=1190';
const adts = (bytes: number) => `fff14c80${(((bytes + 7) << 5) | 0x1f).toString(16).padStart(4, '0')}fc`;

test('several AAC frames in a packet follow one another', () => {
  const { units, send } = setUp('audio', 'MPEG4-GENERIC/48000/2', generic);
  send({ hex: '0020001000180102030405', timestamp: 5 });
  expect(units).toEqual([
    { hex: `${adts(2)}0102`, delay: 0, timestamp: 5 },
    { hex: `${adts(3)}030405`, delay: 1920, timestamp: 5 },
  ]);
});

test('a fragmented AAC frame is reassembled, and dropped when a fragment is missing', () => {
  const { hex, send, depacketizer } = setUp('audio', 'MPEG4-GENERIC/48000/2', generic);
  const pieces = ['001000200102', '001000200304'];
  send({ hex: pieces[0]!, isMarked: false }, { hex: pieces[1]! });
  expect(hex()).toEqual([`${adts(4)}01020304`]);
  send({ hex: pieces[0]!, isMarked: false, timestamp: 1024 });
  depacketizer?.lose();
  send({ hex: pieces[1]!, timestamp: 1024 }, { hex: '001000080a', timestamp: 2048 });
  expect(hex()).toEqual([`${adts(4)}01020304`, `${adts(1)}0a`]);
});

test('AAC that ADTS cannot express, and LATM whose configuration is in the stream, are refused', () => {
  expect(setUp('audio', 'MPEG4-GENERIC/48000/2', 'config=f8e650').depacketizer).toBeUndefined();
  expect(setUp('audio', 'MPEG4-GENERIC/48000/2').depacketizer).toBeUndefined();
  expect(setUp('audio', 'MP4A-LATM/48000/2').depacketizer).toBeUndefined();
  expect(setUp('audio', 'MP4A-LATM/48000/2', 'cpresent=0; config=400023203fc0').depacketizer?.codec).toBe('aac');
  expect(setUp('audio', 'PCMU/8000').depacketizer).toBeUndefined();
});

test('LATM gives the size of each frame in steps of 255', () => {
  const { units, send } = setUp('audio', 'MP4A-LATM/48000/2', 'cpresent=0; config=400023203fc0');
  send({ hex: `ff01${'11'.repeat(256)}` });
  expect(units.map(({ hex }) => hex)).toEqual([`${adts(256)}${'11'.repeat(256)}`]);
});

test('AC-3 arrives in whole frames and in fragments', () => {
  const { hex, send, depacketizer } = setUp('audio', 'AC3/48000/6');
  send({ hex: '00010b77aa' }, { hex: '01020b77', isMarked: false }, { hex: '0302bbcc' });
  expect(hex()).toEqual(['0b77aa', '0b77bbcc']);
  send({ hex: '01020b77', isMarked: false });
  depacketizer?.lose();
  send({ hex: '0302bbcc' }, { hex: '00010b77dd' });
  expect(hex().slice(2)).toEqual(['0b77dd']);
});

test('E-AC-3 arrives in whole frames and in fragments', () => {
  const { hex, send, depacketizer } = setUp('audio', 'EAC3/48000/6');
  send({ hex: '00010b77aa' }, { hex: '01020b77', isMarked: false }, { hex: '0102bbcc' });
  expect(hex()).toEqual(['0b77aa', '0b77bbcc']);
  depacketizer?.lose();
  send({ hex: '0102bbcc' }, { hex: '00010b77dd' });
  expect(hex().slice(2)).toEqual(['0b77dd']);
});

test('an MPEG audio frame larger than a packet is reassembled by its own length', () => {
  const { units, send, depacketizer } = setUp('audio', 'MPA/90000');
  // Layer 2, 32 kbit/s, 48 kHz: 96 bytes. The lower rates are MPEG-2.
  const frame = `fffc1400${'11'.repeat(92)}`;
  send({ hex: `00000000${frame}` }, { hex: `00000000${frame.slice(0, 80)}` }, { hex: `00000028${frame.slice(80)}` });
  expect(units.map(({ hex }) => hex)).toEqual([frame, frame]);
  expect(depacketizer?.codec).toBe('mpeg1audio');
  send({ hex: `00000000fff51400${'22'.repeat(140)}` });
  expect(depacketizer?.codec).toBe('mpeg2audio');
});

test('an Opus packet gets the control header of a transport stream', () => {
  const { hex, send } = setUp('audio', 'opus/48000/2');
  send({ hex: 'fc0102' }, { hex: 'ab'.repeat(255) });
  expect(hex()).toEqual(['7fe003fc0102', `7fe0ff00${'ab'.repeat(255)}`]);
});

test('an MPEG-2 picture that lost its start is dropped, and pictures wait for a keyframe', () => {
  const { hex, send, depacketizer } = setUp('video', 'MPV/90000');
  const [sequence, picture, slice] = ['000001b301', '0000010002', '0000010103'];
  send({ hex: `00000000${picture}` });
  expect(hex()).toEqual([]);
  send({ hex: `00000000${sequence}`, isMarked: false }, { hex: `00000000${slice}` });
  expect(hex()).toEqual([sequence + slice]);
  send({ hex: `00000000${picture}`, isMarked: false, timestamp: 3600 });
  depacketizer?.lose();
  send({ hex: `00000000${slice}`, timestamp: 3600 }, { hex: `0400000000000000${picture}`, timestamp: 7200 });
  expect(hex()).toEqual([sequence + slice, picture]);
});

test('a picture in an endless series of one-byte fragments is dropped', () => {
  const { hex, send } = setUp('video', 'MPV/90000');
  send({ hex: '00000000000001b301', isMarked: false });
  for (let i = 0; i < 9000; i++) send({ hex: '0000000001', isMarked: false });
  send({ hex: '0000000001' });
  expect(hex()).toEqual([]);
});

test('a packet that announces thousands of AAC frames yields only a few', () => {
  const { hex, send } = setUp(
    'audio',
    'MPEG4-GENERIC/48000/2',
    'sizelength=1; indexlength=0; indexdeltalength=0; config=1190',
  );
  send({ hex: `ffff${'ff'.repeat(8192)}${'01'.repeat(9000)}` });
  expect(hex()).toHaveLength(64);
});
