import { expect, test } from 'bun:test';
import { type CarryOptions, type Counter, carry, type PesOptions, pesPacket } from './packets-for-test.ts';
import { PesAssembler, pesLimits } from './pes-assembler.ts';

function setUp() {
  const found: { data: number[]; pts: number | undefined; dts: number | undefined; key: boolean }[] = [];
  const broken: boolean[] = [];
  const assembler = new PesAssembler(
    {
      packet: ({ data, pts, dts, isRandomAccess }) => found.push({ data: [...data], pts, dts, key: isRandomAccess }),
      broken: (isRandomAccess) => broken.push(isRandomAccess),
    },
    pesLimits.videoBytes,
  );
  const counter: Counter = { next: 0 };
  const make = (data: Uint8Array, pes: PesOptions, options: Partial<CarryOptions> = {}) =>
    carry(pesPacket(data, pes), { counter, ...options });
  const push = (...packets: Uint8Array[]) => {
    for (const packet of packets) assembler.push(packet, 0);
  };
  return { found, broken, make, push };
}

const content = (size: number, seed = 1) => Uint8Array.from({ length: size }, (_, i) => (i * 7 + seed) & 0xff);
const open: PesOptions = { pts: 1000, length: 0 };

test('a packet with a length is complete with its last byte, and has its times', () => {
  const { found, make, push } = setUp();
  const pts = 2 ** 33 - 1;
  push(...make(content(500), { pts, dts: pts - 7200 }, { randomAccess: true }));
  expect(found).toEqual([{ data: [...content(500)], pts, dts: pts - 7200, key: true }]);
});

test('a packet without a length ends where the next begins', () => {
  const { found, make, push } = setUp();
  push(...make(content(500), open));
  expect(found).toHaveLength(0);
  push(...make(content(10, 2), open));
  expect(found.map(({ data }) => data)).toEqual([[...content(500)]]);
});

test('after stuffing has marked sixteen ends, stuffing counts as the end', () => {
  const { found, make, push } = setUp();
  for (let i = 0; i < 17; i++) push(...make(content(500), open));
  expect(found).toHaveLength(17);
  push(...make(content(20), open));
  expect(found).toHaveLength(18);
  // 170 bytes of content with 14 of header fill one packet, so no stuffing marks their end.
  push(...make(content(170), open));
  expect(found).toHaveLength(18);
  push(...make(content(5), open));
  expect(found).toHaveLength(20);
});

test('packets with a length also show that stuffing marks the end', () => {
  const { found, make, push } = setUp();
  for (let i = 0; i < 16; i++) push(...make(content(500), { pts: 1000 }));
  push(...make(content(500), open));
  expect(found).toHaveLength(17);
});

test('packets with a length and stuffing in the middle show that stuffing does not mark the end', () => {
  const { found, make, push } = setUp();
  for (let i = 0; i < 40; i++) push(...make(content(500), { pts: 1000 }, { payload: 100 }));
  push(...make(content(500), open, { payload: 100 }));
  expect(found).toHaveLength(40);
});

test('stuffing in the middle does not end a packet, however often it occurs', () => {
  const { found, broken, make, push } = setUp();
  for (let i = 0; i < 40; i++) push(...make(content(500), open, { payload: 100 }));
  expect(found).toHaveLength(39);
  expect(found.every(({ data }) => data.length === 500)).toBe(true);
  expect(broken).toEqual([]);
});

test('a lost transport packet invalidates its whole PES packet, and nothing else', () => {
  const { found, broken, make, push } = setUp();
  for (const length of [undefined, 0]) {
    const pes = { pts: 1000, ...(length === 0 && { length }) };
    const [first, second, third] = [
      make(content(500), pes, { randomAccess: true }),
      make(content(500, 2), pes),
      make(content(500, 3), pes),
    ];
    push(first[0]!, ...first.slice(2), ...second, ...third, ...make(content(1), pes));
  }
  expect(broken).toEqual([true, true]);
  expect(found.map(({ data }) => data[0])).toEqual([2, 3, 1, 2, 3]);
});

test('a packet that is shorter than its length is a loss that the counter missed', () => {
  const { found, broken, make, push } = setUp();
  const cut = make(content(184 * 20), { pts: 1 });
  push(...cut.slice(0, 2), ...cut.slice(18), ...make(content(3), { pts: 2 }));
  expect(broken).toEqual([false]);
  expect(found.map(({ pts }) => pts)).toEqual([2]);
});

test('a duplicate transport packet counts once', () => {
  const { found, make, push } = setUp();
  const packets = make(content(500), { pts: 1 });
  push(...packets.flatMap((packet) => [packet, packet]));
  expect(found.map(({ data }) => data)).toEqual([[...content(500)]]);
});

test('damaged and scrambled packets are ignored', () => {
  for (const [index, bit] of [
    [1, 0x80],
    [3, 0x80],
  ] as const) {
    const { found, broken, make, push } = setUp();
    const packets = make(content(500), { pts: 1 });
    packets[1]![index]! |= bit;
    push(...packets);
    expect(found).toHaveLength(0);
    expect(broken).toEqual([false]);
  }
});

test('a packet that never ends is dropped at the size limit', () => {
  const { found, broken, make, push } = setUp();
  const [first, ...rest] = make(content(184 * 16 * 4), open);
  push(first!);
  const full = rest.slice(0, 48);
  for (let i = 0; i < 1000; i++) push(...full.slice(15, 47));
  expect(broken).toEqual([]);
  for (let i = 0; i < 1000; i++) push(...full.slice(15, 47));
  expect(broken).toEqual([false]);
  expect(found).toHaveLength(0);
});
