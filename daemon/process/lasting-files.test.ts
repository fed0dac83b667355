import { afterEach, expect, test } from 'bun:test';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../tests/support/until.ts';
import { boundLog, startLasting } from './lasting-files.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

test('the log of a running engine is rotated when it is full, and the engine continues to write', () => {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-engine-'));
  dirs.push(dir);
  mkdirSync(join(dir, 'log'));
  const path = join(dir, 'log/engine.log');
  const engine = openSync(path, 'a', 0o600);
  writeSync(engine, 'first\n');
  boundLog({ dataDir: dir, file: 'engine' });
  expect(readFileSync(path, 'utf8')).toBe('first\n');
  writeSync(engine, 'x'.repeat(6 << 20));
  boundLog({ dataDir: dir, file: 'engine' });
  writeSync(engine, 'later\n');
  closeSync(engine);
  expect(readFileSync(path, 'utf8')).toBe('later\n');
  expect(readFileSync(`${path}.1`, 'latin1')).toStartWith('first\n');
  expect(statSync(`${path}.1`).mode & 0o777).toBe(0o600);
});

test('without a log nothing is done', () => {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-engine-'));
  dirs.push(dir);
  expect(() => boundLog({ dataDir: dir, file: 'engine' })).not.toThrow();
});

test('an engine whose process id cannot be stored is not left running', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-engine-'));
  dirs.push(dir);
  mkdirSync(join(dir, 'run/engine.pid'), { recursive: true });
  const started = join(dir, 'started');
  const script = `trap 'exit' TERM; while :; do sleep 0.1; : ${started}; done`;
  expect(() => startLasting({ dataDir: dir, file: 'engine' }, ['/bin/sh', '-c', script], {})).toThrow();
  const runs = () => Bun.spawnSync(['pgrep', '-f', started]).exitCode === 0;
  await until(() => !runs());
});
