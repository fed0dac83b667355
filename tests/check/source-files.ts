import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dir, '../..');

/** Returns every file of the project that Git tracks or would add. Paths are relative to the project root. */
export function projectFiles(): string[] {
  const git = Bun.spawnSync(['git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    timeout: 10_000,
  });
  if (git.exitCode !== 0) throw new Error(`git ls-files: ${git.stderr.toString()}`);
  const paths = git.stdout.toString().split('\0').filter(Boolean);
  // A deleted file stays in the index until the deletion is committed.
  return [...new Set(paths)].filter((path) => existsSync(join(root, path))).sort();
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export const isTypeScript = (path: string): boolean => /\.tsx?$/.test(path) && !path.endsWith('.d.ts');
