import { describe, expect, test } from 'bun:test';
import { decodeOsc, encodeOsc } from './osc.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const ascii = (text: string) => Buffer.from(text, 'latin1');

describe('encoding', () => {
  test('the examples of the specification have their bytes', () => {
    expect(Buffer.from(encodeOsc('/foo', [1000, -1, 'hello']))).toEqual(
      Buffer.concat([ascii('/foo\0\0\0\0,iis\0\0\0\0'), hex('000003e8 ffffffff'), ascii('hello\0\0\0')]),
    );
  });

  test.each([['a\0b'], [2 ** 31], [0.5]])('%p cannot be sent', (value) => {
    expect(() => encodeOsc('/a', [value])).toThrow();
  });
});

describe('decoding', () => {
  test('what was encoded is read again, also non-ASCII text of any length', () => {
    for (const text of ['', 'a', 'abc', 'abcd', '节目 😀', 'x'.repeat(9000)]) {
      expect(decodeOsc(encodeOsc('/status/get', [text, 7001]))).toEqual([
        { address: '/status/get', args: [text, 7001] },
      ]);
    }
  });

  test('floating numbers and flags are arguments, and other types are skipped', () => {
    const oscillator = Buffer.concat([ascii('/o\0\0,fTFNhbd\0\0\0\0'), hex('43dc0000')]);
    const rest = Buffer.concat([hex('0000000000000001'), hex('00000002 aabb0000'), hex('3ff0000000000000')]);
    expect(decodeOsc(Buffer.concat([oscillator, rest]))).toEqual([{ address: '/o', args: [440, true, false, 1] }]);
  });

  test('a bundle contains messages and bundles, down to a depth', () => {
    const message = encodeOsc('/a', [1]);
    const bundle = (...packets: Uint8Array[]) =>
      Buffer.concat([
        ...[ascii('#bundle\0'), hex('0000000000000001')],
        ...packets.flatMap((packet) => {
          const size = Buffer.alloc(4);
          size.writeInt32BE(packet.length);
          return [size, packet];
        }),
      ]);
    expect(decodeOsc(bundle(message, bundle(message)))).toHaveLength(2);
    expect(decodeOsc(bundle())).toEqual([]);
    expect(decodeOsc(bundle(bundle(bundle(bundle(bundle(message))))))).toBeUndefined();
    expect(decodeOsc(bundle(...Array.from({ length: 100 }, () => message)))).toHaveLength(64);
  });

  test.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['a length that is not a multiple of four', ascii('/ab\0,\0\0')],
    ['an address without a slash', ascii('abc\0,\0\0\0')],
    ['an address without an end', ascii('/abcdefg')],
    ['types without a comma', ascii('/ab\0is\0\0')],
    ['an unknown type', ascii('/ab\0,z\0\0')],
    ['a number that is cut off', ascii('/ab\0,i\0\0')],
    ['a text without an end', ascii('/ab\0,s\0\0abcd')],
    ['a blob that is longer than the packet', Buffer.concat([ascii('/ab\0,b\0\0'), hex('7fffffff')])],
    ['a negative size in a bundle', Buffer.concat([ascii('#bundle\0'), hex('0000000000000001 ffffffff')])],
    ['a bundle without a time', ascii('#bundle\0')],
  ])('%s is not OSC', (_, bytes) => {
    expect(decodeOsc(bytes)).toBeUndefined();
  });
});
