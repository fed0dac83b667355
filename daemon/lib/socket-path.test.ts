import { afterEach, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { socketPath } from './socket-path.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function folder(name = ''): string {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-socket-'));
  dirs.push(dir);
  return join(dir, name);
}

test('sockets are in the data folder', () => {
  const dir = folder();
  expect(socketPath(dir, 'engine')).toBe(join(dir, 'run/engine.sock'));
  expect(statSync(join(dir, 'run')).mode & 0o777).toBe(0o700);
});

test('a path too long for a socket becomes a short private one, the same each time', () => {
  const dir = folder('x'.repeat(120));
  const path = socketPath(dir, 'engine');
  dirs.push(dirname(path));
  expect(Buffer.byteLength(path)).toBeLessThan(100);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(socketPath(dir, 'engine')).toBe(path);
  expect(socketPath(folder('x'.repeat(120)), 'engine')).not.toBe(path);
});

test('a short folder that is open to others, or that is a link, is refused', () => {
  const dir = folder('y'.repeat(120));
  const short = dirname(socketPath(dir, 'engine'));
  dirs.push(short);
  chmodSync(short, 0o755);
  expect(() => socketPath(dir, 'engine')).toThrow('not a private folder');
  rmSync(short, { recursive: true });
  mkdirSync(folder('target'), { mode: 0o700 });
  symlinkSync(join(dirs.at(-1) ?? '', 'target'), short);
  expect(() => socketPath(dir, 'engine')).toThrow('not a private folder');
});
