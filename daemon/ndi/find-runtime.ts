/**
 * Searches for the NDI runtime (libndi). Users install or upload it, because its license does not permit the hub to
 * ship it. The hub checks a file before any process loads it, because loading a truncated library kills the process.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { NdiRuntimeFault } from './port.ts';

/** Faults that can be found without loading the file. */
export type FileFault = Extract<NdiRuntimeFault, 'unreadable' | 'notLibrary' | 'otherMachine' | 'truncated'>;

export type FoundRuntime =
  | { readonly outcome: 'found'; readonly path: string }
  /** There is a file, but it cannot be loaded. */
  | { readonly outcome: 'unusable'; readonly path: string; readonly fault: FileFault }
  | { readonly outcome: 'missing'; readonly folders: readonly string[] };

/** Variables that name the folder of the runtime; the newest first. */
export const ndiFolders = ['NDI_RUNTIME_DIR_V6', 'NDI_RUNTIME_DIR_V5'] as const;

const usualFolders = [
  ...['/usr/lib', '/usr/lib64', '/usr/local/lib'],
  ...(process.arch === 'arm64' ? ['/usr/lib/aarch64-linux-gnu'] : ['/usr/lib/x86_64-linux-gnu']),
];
/** `libndi.so.6.3.2`, `libndi.so.6`, `libndi.so`. */
const libraryName = /^libndi\.so(?:\.(\d+(?:\.\d+)*))?$/;

/** The folder in the hub's data folder that has an uploaded runtime. */
export const ownRuntimeFolder = (dataDir: string): string => join(dataDir, 'ndi', 'runtime');

export interface SearchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its uploaded runtime is searched after the folders of the environment, and before those of the system. */
  readonly dataDir?: string;
  readonly folders?: readonly string[];
}

/** Uses the first folder with a usable file, and the highest version in this folder. */
export function findRuntime({ env, dataDir, folders = usualFolders }: SearchOptions): FoundRuntime {
  const named = ndiFolders.flatMap((name) => env[name] || []);
  const own = dataDir === undefined ? [] : [ownRuntimeFolder(dataDir)];
  const places = [...named, ...own, ...folders].map((folder) => resolve(folder));
  let unusable: FoundRuntime | undefined;
  for (const folder of places) {
    for (const name of librariesIn(folder)) {
      const path = join(folder, name);
      const fault = fileFault(path);
      if (fault === undefined) return { outcome: 'found', path };
      unusable ??= { outcome: 'unusable', path, fault };
    }
  }
  return unusable ?? { outcome: 'missing', folders: places };
}

/** Returns the files with the highest version first, and a name without a version last. */
function librariesIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const found = names.flatMap((name) => {
    const match = libraryName.exec(name);
    return match ? [{ name, version: (match[1] ?? '0').split('.').map(Number) }] : [];
  });
  return found.toSorted((a, b) => compare(b.version, a.version)).map(({ name }) => name);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Header offsets of a 64-bit ELF file, little endian; those of a segment are in its own header. */
const elf = {
  ...{ headerBytes: 64, type: 16, machine: 18, segmentsAt: 32, sectionsAt: 40 },
  ...{ segmentBytes: 54, segmentCount: 56, sectionBytes: 58, sectionCount: 60 },
  segment: { bytes: 56, offset: 8, fileBytes: 32 },
} as const;
const sharedLibrary = 3;
const machines: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };

/** Returns why the file cannot be loaded as a library, or undefined. */
export function fileFault(path: string): FileFault | undefined {
  let file: number;
  try {
    // A pipe with this name must not block the search.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return 'unreadable';
  }
  try {
    return openFileFault(file);
  } catch {
    return 'unreadable';
  } finally {
    closeSync(file);
  }
}

function openFileFault(file: number): FileFault | undefined {
  const status = fstatSync(file);
  if (!status.isFile()) return 'notLibrary';
  const header = Buffer.alloc(elf.headerBytes);
  const bytes = readSync(file, header, 0, elf.headerBytes, 0);
  if (bytes < elf.headerBytes || header.readUInt32BE(0) !== 0x7f454c46) return 'notLibrary';
  if (header[4] !== 2 || header.readUInt16LE(elf.machine) !== machines[process.arch]) return 'otherMachine';
  if (header.readUInt16LE(elf.type) !== sharedLibrary) return 'notLibrary';
  const sections = header.readUInt16LE(elf.sectionBytes) * header.readUInt16LE(elf.sectionCount);
  const sectionsEnd = header.readBigUInt64LE(elf.sectionsAt) + BigInt(sections);
  const segments = segmentsOf(file, header);
  if (segments === undefined || sectionsEnd > status.size) return 'truncated';
  return segments.some((end) => end > status.size) ? 'truncated' : undefined;
}

/** Returns the end of each segment in the file; undefined if the segment table is incomplete. */
function segmentsOf(file: number, header: Buffer): bigint[] | undefined {
  const { segment } = elf;
  const count = header.readUInt16LE(elf.segmentCount);
  const table = Buffer.alloc(segment.bytes * count);
  if (count > 0 && header.readUInt16LE(elf.segmentBytes) !== segment.bytes) return undefined;
  const read = count > 0 ? readSync(file, table, 0, table.length, Number(header.readBigUInt64LE(elf.segmentsAt))) : 0;
  if (read < table.length) return undefined;
  return Array.from({ length: count }, (_, at) => {
    const start = at * segment.bytes;
    return table.readBigUInt64LE(start + segment.offset) + table.readBigUInt64LE(start + segment.fileBytes);
  });
}
