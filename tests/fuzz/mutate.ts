import type { Random } from './random.ts';

const maxBytes = 64 << 10;
const maxMutations = 6;
/** Boundary values of length and count fields. */
const interesting = [
  0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0xffffff, 0x7fffffff, 0x80000000, 0xffffffff,
];

type Mutation = (bytes: Buffer, random: Random, corpus: readonly Uint8Array[]) => Buffer;

const mutations: readonly Mutation[] = [
  flipBits,
  flipBits,
  replaceByte,
  truncate,
  splice,
  growLength,
  writeInteger,
  repeatRange,
  removeRange,
  insertNoise,
];

/** Returns an input from the corpus with a few mutations. */
export function mutate(random: Random, corpus: readonly Uint8Array[]): Uint8Array {
  let bytes = Buffer.from(random.pick(corpus));
  for (let left = 1 + random.below(maxMutations); left > 0; left--) {
    bytes = Buffer.from(random.pick(mutations)(bytes, random, corpus).subarray(0, maxBytes));
  }
  return bytes;
}

/** Splits the bytes as socket reads may split them. */
export function* cut(bytes: Uint8Array, random: Random): Generator<Buffer> {
  const max = random.pick([1, 16, 1500, maxBytes]);
  // Splits into small pieces only within the first 4096 bytes, where the headers are.
  for (let at = 0; at < bytes.length; ) {
    const size = at < 4096 ? 1 + random.below(max) : bytes.length - at;
    yield Buffer.from(bytes.subarray(at, at + size));
    at += size;
  }
}

function range(bytes: Uint8Array, random: Random): [number, number] {
  const from = random.below(bytes.length);
  return [from, from + 1 + random.below(Math.min(256, bytes.length - from))];
}

function flipBits(bytes: Buffer, random: Random): Buffer {
  for (let left = 1 + random.below(4); left > 0 && bytes.length > 0; left--) {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  }
  return bytes;
}

function replaceByte(bytes: Buffer, random: Random): Buffer {
  if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

function truncate(bytes: Buffer, random: Random): Buffer {
  return bytes.subarray(0, random.below(bytes.length + 1));
}

function splice(bytes: Buffer, random: Random, corpus: readonly Uint8Array[]): Buffer {
  const other = random.pick(corpus);
  return Buffer.concat([
    bytes.subarray(0, random.below(bytes.length + 1)),
    other.subarray(random.below(other.length + 1)),
  ]);
}

/** Enlarges an integer in place: most dangerous fields are lengths. */
function growLength(bytes: Buffer, random: Random): Buffer {
  const size = random.pick([1, 2, 3, 4]);
  if (bytes.length < size) return bytes;
  const at = random.below(bytes.length - size + 1);
  const grown = bytes.readUIntBE(at, size) * random.pick([2, 16, 256]) + random.below(2);
  bytes.writeUIntBE(Math.min(grown, 256 ** size - 1), at, size);
  return bytes;
}

function writeInteger(bytes: Buffer, random: Random): Buffer {
  const size = random.pick([1, 2, 4]);
  if (bytes.length < size) return bytes;
  const at = random.below(bytes.length - size + 1);
  const value = random.pick(interesting) % 256 ** size;
  if (random.below(2) === 0) bytes.writeUIntBE(value, at, size);
  else bytes.writeUIntLE(value, at, size);
  return bytes;
}

function repeatRange(bytes: Buffer, random: Random): Buffer {
  const [from, to] = range(bytes, random);
  const count = random.pick([1, 2, 10, 100]);
  return Buffer.concat([
    bytes.subarray(0, to),
    ...Array<Buffer>(count).fill(bytes.subarray(from, to)),
    bytes.subarray(to),
  ]);
}

function removeRange(bytes: Buffer, random: Random): Buffer {
  const [from, to] = range(bytes, random);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
}

function insertNoise(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(32)), bytes.subarray(at)]);
}
