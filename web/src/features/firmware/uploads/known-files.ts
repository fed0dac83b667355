/** The files that this browser sends: after a reload, only the same file may continue an upload. */
const storageKey = 'signalbox-firmware-uploads';
/** More than a user may upload at a time. */
const maxKept = 32;

type Kept = readonly [task: number, name: string, size: number, lastModified: number];

type FileFacts = Pick<File, 'name' | 'size' | 'lastModified'>;

export function keepFile(task: number, { name, size, lastModified }: FileFacts): void {
  write([...read().filter(([id]) => id !== task), [task, name, size, lastModified] as const].slice(-maxKept));
}

export function forgetFile(task: number): void {
  write(read().filter(([id]) => id !== task));
}

/** Of an upload of another browser, only name and size are known. */
export function isFileOf({ id, subject, total }: { id: number; subject: string; total: number }, file: FileFacts) {
  const kept = read().find(([task, name, size]) => task === id && name === subject && size === total);
  return file.name === subject && file.size === total && (kept === undefined || kept[3] === file.lastModified);
}

function read(): readonly Kept[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one): one is Kept => Array.isArray(one) && one.length === 4) : [];
  } catch {
    return [];
  }
}

function write(kept: readonly Kept[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // Name and size must do.
  }
}
