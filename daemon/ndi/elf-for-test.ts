/** Files that look like a library of this machine, since only their headers are read. */

const machine = process.arch === 'arm64' ? 183 : 62;

/** A shared library of 4096 bytes with one segment and the headers of ten sections, then changed. */
export function libraryFile(change: (file: Buffer) => void = () => undefined): Buffer {
  const file = Buffer.alloc(4096);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeUInt16LE(3, 16);
  file.writeUInt16LE(machine, 18);
  file.writeBigUInt64LE(64n, 32);
  file.writeBigUInt64LE(1024n, 40);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt16LE(64, 58);
  file.writeUInt16LE(10, 60);
  // The segment: its offset and the bytes it has in the file.
  file.writeBigUInt64LE(0n, 64 + 8);
  file.writeBigUInt64LE(4096n, 64 + 32);
  change(file);
  return file;
}
