import { expect, test } from 'bun:test';
import { startsWithKeyframe } from './access-unit.ts';
import { packetSize } from './packet.ts';

/** The first packet of a PES packet that starts or ends with these bytes. */
function packet(elementary: readonly number[], isAtEnd = false): Uint8Array {
  const bytes = new Uint8Array(packetSize).fill(0xff);
  bytes.set([0x47, 0x41, 0, 0x10, 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5]);
  bytes.set(elementary, isAtEnd ? packetSize - elementary.length : 4 + 9 + 5);
  return bytes;
}

test.each<[codec: string, what: string, bytes: readonly number[], isKeyframe: boolean]>([
  ['h264', 'SPS behind a delimiter', [0, 0, 0, 1, 9, 0x10, 0, 0, 0, 1, 0x67], true],
  ['h264', 'slice of a P picture', [0, 0, 1, 0x41], false],
  ['hevc', 'VPS', [0, 0, 1, 0x40, 1], true],
  ['mpeg2video', 'sequence header', [0, 0, 1, 0xb3, 0x2d, 0x02], true],
  ['mpeg2video', 'group header', [0, 0, 1, 0xb8, 0, 8], true],
  ['mpeg2video', 'I picture', [0, 0, 1, 0, 0, 0x0f, 0xff], true],
  ['mpeg2video', 'P picture', [0, 0, 1, 0, 0, 0x57, 0xff], false],
  ['mpeg1video', 'I picture', [0, 0, 1, 0, 0, 0x0f, 0xff], true],
  ['mpeg4', 'visual object sequence', [0, 0, 1, 0xb0, 1], true],
  ['mpeg4', 'video object layer', [0, 0, 1, 0x20, 0], true],
  ['mpeg4', 'I-VOP', [0, 0, 1, 0xb6, 0x10], true],
  ['mpeg4', 'P-VOP', [0, 0, 1, 0xb6, 0x50], false],
  ['av1', 'sequence header', [0, 0, 1, 0x0a, 0x0b], true],
  ['av1', 'frame', [0, 0, 1, 0x32, 0x0b], false],
  ['vvc', 'anything', [0, 0, 1, 0x67], false],
])('%s: %s', (codec, _, bytes, isKeyframe) => {
  expect(startsWithKeyframe(packet(bytes), 0, codec)).toBe(isKeyframe);
});

test('the content of the next packet is not guessed', () => {
  const two = Buffer.concat([packet([0, 0, 1, 0], true), Buffer.alloc(packetSize, 0x0f)]);
  expect(startsWithKeyframe(two, 0, 'mpeg2video')).toBe(false);
});
