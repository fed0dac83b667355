import { describe, expect, test } from 'bun:test';
import { AmfError, type AmfValue, amfLimits, decodeAmf, encodeAmf, leadingAmfString } from './amf0.ts';

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** The same sequence of numbers on every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % below;
  };
}

function randomValue(random: (below: number) => number, depth: number): AmfValue {
  const kind = random(depth > 4 ? 5 : 7);
  if (kind === 0) return random(2) === 0 ? random(1000) - 500 : random(1_000_000) / 7;
  if (kind === 1) return random(2) === 0;
  if (kind === 2) return (['', 'key', 'ä', '🙂'][random(4)] ?? '').repeat(random(4));
  if (kind === 3) return null;
  if (kind === 4) return undefined;
  if (kind === 5) return Array.from({ length: random(5) }, () => randomValue(random, depth + 1));
  const entries = Array.from({ length: random(5) }, (_, i) => [`k${i}${random(9)}`, randomValue(random, depth + 1)]);
  return Object.fromEntries(entries);
}

describe('values', () => {
  test('have the bytes of the specification', () => {
    const encoded = encodeAmf('connect', 1, true, null, undefined, { app: 'live' });
    expect(Buffer.from(encoded).toString('hex')).toBe(
      '020007636f6e6e656374003ff0000000000000010105060300036170700200046c697665000009',
    );
  });

  test('survive a round trip, whatever they are', () => {
    const random = createRandom(11);
    for (let i = 0; i < 500; i++) {
      const values = Array.from({ length: random(4) }, () => randomValue(random, 0));
      const decoded = decodeAmf(encodeAmf(...values));
      // Decoded objects have no prototype, so the test compares their JSON.
      expect(JSON.stringify(decoded)).toBe(JSON.stringify(values));
    }
  });

  test('of kinds that only peers send are read', () => {
    expect(decodeAmf(bytes('08 00000063 0005 7769647468 00 4094000000000000 000009'))).toEqual([{ width: 1280 }]);
    expect(decodeAmf(bytes('0b 40f86a0000000000 0000'))).toEqual([100_000]);
    expect(decodeAmf(bytes('0c 00000003 616263'))).toEqual(['abc']);
    expect(decodeAmf(bytes('10 0001 58 0001 61 05 000009'))).toEqual([{ a: null }]);
    expect(decodeAmf(bytes('0d'))).toEqual([undefined]);
  });

  test('longer than 65535 bytes are long strings', () => {
    const [head, ...rest] = encodeAmf('x'.repeat(70_000));
    expect(head).toBe(12);
    expect(rest).toHaveLength(70_004);
  });

  test('named like a prototype property are plain values', () => {
    const [object] = decodeAmf(encodeAmf(JSON.parse('{"__proto__": 7, "constructor": 8}')));
    expect(Object.entries(object as object)).toEqual([
      ['__proto__', 7],
      ['constructor', 8],
    ]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('bombs', () => {
  test('nested too deep are refused', () => {
    const nested = Buffer.concat([Buffer.from('03000161'.repeat(5000), 'hex')]);
    expect(() => decodeAmf(nested)).toThrow(`AMF nested deeper than ${amfLimits.depth}`);
    const arrays = Buffer.from('0a00000001'.repeat(5000), 'hex');
    expect(() => decodeAmf(arrays)).toThrow('nested deeper');
  });

  test('of too many values are refused', () => {
    expect(() => decodeAmf(Buffer.alloc(amfLimits.values + 1, 5))).toThrow(`more than ${amfLimits.values} values`);
    const inArray = Buffer.concat([bytes('0a 00004000'), Buffer.alloc(0x4000, 5)]);
    expect(() => decodeAmf(inArray)).toThrow('values');
  });

  test('that announce more than they contain are refused', () => {
    expect(() => decodeAmf(bytes('0a ffffffff'))).toThrow('announces 4294967295 values');
    expect(() => decodeAmf(bytes('0c ffffffff 61'))).toThrow('ends inside a value');
    expect(() => decodeAmf(bytes('02 ffff 61'))).toThrow('ends inside a value');
  });

  test('that are simply large are refused before they are parsed', () => {
    expect(() => decodeAmf(new Uint8Array(amfLimits.bytes + 1))).toThrow('limit 65536');
  });

  test('of random bytes throw nothing but AmfError, and quickly', () => {
    const random = createRandom(5);
    let refused = 0;
    for (let i = 0; i < 20_000; i++) {
      const input = Uint8Array.from({ length: random(60) }, () => (random(3) === 0 ? random(18) : random(256)));
      try {
        decodeAmf(input);
      } catch (error) {
        expect(error).toBeInstanceOf(AmfError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(1000);
  });

  test('made by truncating a valid message are refused or shorter', () => {
    const whole = encodeAmf('connect', 1, { app: 'live', list: [1, 2, { deep: 'x' }] });
    for (let length = 0; length < whole.length; length++) {
      let values: AmfValue[] = [];
      try {
        values = decodeAmf(whole.subarray(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(AmfError);
      }
      expect(values.length).toBeLessThan(3);
    }
  });
});

test('a leading string is found without decoding the rest', () => {
  const body = Buffer.concat([encodeAmf('@setDataFrame'), bytes('ff ff')]);
  expect(leadingAmfString(body)).toEqual({ text: '@setDataFrame', end: 16 });
  expect(leadingAmfString(bytes('02 0005 61'))).toBeUndefined();
  expect(leadingAmfString(bytes('05'))).toBeUndefined();
});
