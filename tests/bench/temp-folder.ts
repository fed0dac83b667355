/** Folders for one run; the bench removes leftovers when it exits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

export function makeTempFolder(name: string, place: string = tmpdir()): string {
  const folder = mkdtempSync(join(place, `bench-${name}-`));
  folders.add(folder);
  return folder;
}

export function removeTempFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

export function removeTempFolders(): void {
  for (const folder of folders) removeTempFolder(folder);
}
