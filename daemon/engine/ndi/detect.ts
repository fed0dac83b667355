/**
 * Looks for the NDI runtime (libndi). Users install it themselves, because its license does not allow a hub to ship it.
 * The file is checked before it is loaded, because loading a truncated library kills the process.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ndiFolders } from '../../media/engine-command.ts';

export type NdiDetection =
  | { readonly outcome: 'found'; readonly path: string }
  /** A file exists that cannot be loaded. */
  | { readonly outcome: 'unusable'; readonly path: string; readonly fault: LibraryFault }
  | { readonly outcome: 'missing'; readonly folders: readonly string[] };

export type LibraryFault = 'unreadable' | 'noLibrary' | 'otherMachine' | 'cutShort';

const usualFolders = [
  ...['/usr/lib', '/usr/lib64', '/usr/local/lib'],
  ...(process.arch === 'arm64' ? ['/usr/lib/aarch64-linux-gnu'] : ['/usr/lib/x86_64-linux-gnu']),
];
/** `libndi.so.6.3.2`, `libndi.so.6`, `libndi.so`. */
const libraryName = /^libndi\.so(?:\.(\d+(?:\.\d+)*))?$/;

export interface DetectorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders?: readonly string[];
}

export function detectNdi({ env, folders = usualFolders }: DetectorOptions): NdiDetection {
  const places = [...ndiFolders.flatMap((name) => env[name] || []), ...folders];
  let unusable: NdiDetection | undefined;
  for (const folder of places) {
    for (const name of librariesIn(folder)) {
      const path = join(folder, name);
      const fault = faultOf(path);
      if (fault === undefined) return { outcome: 'found', path };
      unusable ??= { outcome: 'unusable', path, fault };
    }
  }
  return unusable ?? { outcome: 'missing', folders: places };
}

/** Returns one line for the log and the API. */
export function lookText(look: NdiDetection): string {
  if (look.outcome === 'found') return `${look.path} is there, but this version of the hub can't drive it yet`;
  if (look.outcome === 'unusable') return `${look.path} can't be used: ${faultTexts[look.fault]}`;
  return `libndi.so.6 is in none of ${look.folders.join(', ')}; install the NDI runtime, or set NDI_RUNTIME_DIR_V6 to its folder`;
}

const faultTexts: Readonly<Record<LibraryFault, string>> = {
  unreadable: 'it is not readable',
  noLibrary: 'it is no library',
  otherMachine: 'it is made for another kind of processor',
  cutShort: 'it is cut short; copy it again',
};

/** Returns the highest version first, and a name without a version last. */
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

/** Header offsets of a 64-bit ELF file, little endian. */
const elf = { headerBytes: 64, machine: 18, sectionsAt: 40, sectionBytes: 58, sectionCount: 60 } as const;
const machines: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };

function faultOf(path: string): LibraryFault | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return 'unreadable';
  }
  try {
    const header = Buffer.alloc(elf.headerBytes);
    const bytes = readSync(file, header, 0, elf.headerBytes, 0);
    if (bytes < elf.headerBytes || header.readUInt32BE(0) !== 0x7f454c46) return 'noLibrary';
    if (header[4] !== 2 || header.readUInt16LE(elf.machine) !== machines[process.arch]) return 'otherMachine';
    const sections = header.readUInt16LE(elf.sectionBytes) * header.readUInt16LE(elf.sectionCount);
    const end = header.readBigUInt64LE(elf.sectionsAt) + BigInt(sections);
    return end > BigInt(fstatSync(file).size) ? 'cutShort' : undefined;
  } catch {
    return 'unreadable';
  } finally {
    closeSync(file);
  }
}
