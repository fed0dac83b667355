/**
 * Looks for the NDI runtime (libndi), which comes from its owner: its licence doesn't let a hub bring it along. A file
 * is looked at before anybody loads it, since loading one that is cut short kills the process.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

export type NdiLook =
  | { readonly outcome: 'found'; readonly path: string }
  /** A file is there that can't be loaded. */
  | { readonly outcome: 'unusable'; readonly path: string; readonly fault: LibraryFault }
  | { readonly outcome: 'missing'; readonly folders: readonly string[] };

export type LibraryFault = 'unreadable' | 'noLibrary' | 'otherMachine' | 'cutShort';

/** Variables that name the folder of the runtime; the newest first. */
export const ndiFolders = ['NDI_RUNTIME_DIR_V6', 'NDI_RUNTIME_DIR_V5'] as const;
const usualFolders = [
  ...['/usr/lib', '/usr/lib64', '/usr/local/lib'],
  ...(process.arch === 'arm64' ? ['/usr/lib/aarch64-linux-gnu'] : ['/usr/lib/x86_64-linux-gnu']),
];
/** `libndi.so.6.3.2`, `libndi.so.6`, `libndi.so`. */
const libraryName = /^libndi\.so(?:\.(\d+(?:\.\d+)*))?$/;

export interface LookOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders?: readonly string[];
}

export function lookForNdi({ env, folders = usualFolders }: LookOptions): NdiLook {
  const places = [...ndiFolders.flatMap((name) => env[name] || []), ...folders];
  let unusable: NdiLook | undefined;
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

/** One line for the log and for whoever asks over the API. */
export function lookText(look: NdiLook): string {
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

/** The highest version first; a name without one last. */
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

/** Offsets of the header of a 64-bit ELF file, little endian. */
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
