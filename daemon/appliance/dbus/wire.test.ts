import { describe, expect, test } from 'bun:test';
import { seededRandom } from '../../../tests/support/seeded-random.ts';
import { DBusError } from './dbus-error.ts';
import { decode, encode, maxMessageBytes, messageTypes, sizeOf } from './message.ts';
import { typesOf } from './signature.ts';
import { type DBusValue, plain, Reader, type ValueOf, valueAs, variant, Writer } from './wire.ts';

const values: [signature: string, value: DBusValue][] = [
  ['y', 255],
  ['b', true],
  ['n', -2],
  ['q', 65_535],
  ['i', -70_000],
  ['u', 4_000_000_000],
  ['x', -5_000_000_000],
  ['t', 5_000_000_000],
  ['d', 0.1],
  ['s', 'Netz “Büro” 🎥'],
  ['o', '/org/freedesktop'],
  ['g', 'a{sv}'],
  ['as', ['', 'a', 'bc']],
  ['ai', []],
  [
    'a(yt)',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['a{sv}', { one: variant('u', 1), two: variant('as', ['x']) }],
  ['a{sa{sv}}', { ipv4: { method: variant('s', 'manual'), dns: variant('au', [1, 2]) } }],
  ['v', variant('(sv)', ['deep', variant('v', variant('y', 7))])],
];

const written = (signature: string, value: DBusValue) => {
  const writer = new Writer();
  // An odd offset shows wrong alignment.
  writer.values(`y${signature}`, [0, value]);
  return Buffer.from(writer.bytes());
};

test.each(values)('a value of %s is read as it was written', (signature, value) => {
  const [, read] = new Reader(written(signature, value), { isLittle: true }).values(`y${signature}`);
  expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(value)));
});

test('numbers of a peer with the other byte order are read', () => {
  const bytes = Buffer.from([0, 0, 0, 3, 0x61, 0x62, 0x63, 0]);
  expect(new Reader(bytes, { isLittle: false }).values('s')).toEqual(['abc']);
});

test('values lose their signatures when only they matter', () => {
  expect(plain({ a: variant('av', [variant('s', 'x')]), b: [variant('i', 1)] })).toEqual({ a: ['x'], b: [1] });
});

test('a value is read as what its signature says, or refused', () => {
  const routes = variant('aa{sv}', [{ dest: variant('s', '192.0.2.0') }]);
  const profile = { ipv4: { method: variant('s', 'manual'), 'route-data': routes } };
  expect(valueAs('a{sa{sv}}', profile)).toBe(profile);
  expect(valueAs('aa{sv}', routes.value)).toHaveLength(1);
  expect(valueAs('a(su)', [['x', 1]])).toEqual([['x', 1]]);
  const others: [signature: string, value: DBusValue | undefined][] = [
    ['s', undefined],
    ['s', 1],
    ['b', 1],
    ['u', '1'],
    ['o', true],
    ['v', { a: 1 }],
    ['as', ['x', 1]],
    ['as', 'x'],
    ['a{sv}', [variant('s', 'x')]],
    ['a{sa{sv}}', { ipv4: { method: 'manual' } }],
    ['(su)', ['x', 'y']],
  ];
  for (const [signature, value] of others) {
    expect(() => valueAs(signature, value)).toThrow(`not of the type '${signature}'`);
  }
});

test('the compiler refuses a value that is not of its signature', () => {
  // @ts-expect-error
  variant('u', 'x');
  // @ts-expect-error
  variant('as', [1]);
  // @ts-expect-error
  variant('aa{sv}', [{ dest: 'x' }]);
  // @ts-expect-error
  const section: ValueOf<'a{sv}'> = { method: 'manual' };
  expect(section).toBeDefined();
});

test('a dictionary may have any key', () => {
  const signature = 'a{ss}';
  const [, read] = new Reader(written(signature, JSON.parse('{"__proto__": "x"}')), { isLittle: true }).values(
    `y${signature}`,
  );
  expect(Object.keys(read as object)).toEqual(['__proto__']);
});

test.each(['a', '(', '()', 'a{s}', 'a{vs}', '{sv}', 'z', 'a'.repeat(40), 'y'.repeat(256)])(
  '%s is not a signature',
  (text) => {
    expect(() => typesOf(text)).toThrow(DBusError);
  },
);

describe('a message', () => {
  const call = {
    ...{ type: messageTypes.call, serial: 7, path: '/a', interface: 'a.b', member: 'Do', destination: 'a.b' },
    ...{ signature: 'sa{sv}', body: ['x', { y: variant('u', 1) }] },
  };

  test('is read as it was written, and tells its size', () => {
    const bytes = encode(call);
    expect(sizeOf(bytes.subarray(0, 16))).toBe(bytes.length);
    expect(sizeOf(bytes.subarray(0, 15))).toBeUndefined();
    expect(JSON.parse(JSON.stringify(decode(bytes)))).toEqual(call);
  });

  test('is refused if it is too large or has no byte order', () => {
    const bytes = encode(call);
    bytes.writeUInt32LE(maxMessageBytes, 4);
    expect(() => sizeOf(bytes)).toThrow('too large');
    expect(() => decode(Buffer.from('x'.repeat(64)))).toThrow('byte order');
  });

  test('with any wrong byte is refused or read, in bounded time', () => {
    const random = seededRandom(1);
    const whole = encode(call);
    for (let round = 0; round < 20_000; round++) {
      const bytes = Buffer.from(whole.subarray(0, 1 + Math.floor(random() * whole.length)));
      for (let count = 0; count < 3; count++)
        bytes[1 + Math.floor(random() * (bytes.length - 1))] = Math.floor(random() * 256);
      try {
        decode(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(DBusError);
      }
    }
  });
});
