/** Checks the unit file with systemd's own tool, without running a service. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const unit = join(import.meta.dir, '../../system/signalbox.service');
const folder = mkdtempSync(join(tmpdir(), 'sb-unit-'));
afterAll(() => rmSync(folder, { recursive: true }));

function analyze(...args: readonly string[]): { code: number; output: string } {
  const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', ...args], { stdout: 'ignore', stderr: 'pipe' });
  return { code: exitCode, output: stderr.toString() };
}

test('systemd understands every line of the unit', () => {
  const text = readFileSync(unit, 'utf8');
  const program = /^ExecStart=(\S+)/m.exec(text)?.[1] ?? '';
  const copy = join(folder, 'signalbox.service');
  writeFileSync(copy, text.replace(program, process.execPath));
  expect(analyze('verify', copy)).toEqual({ code: 0, output: '' });
});

test('the exposure of the service is at most 2.0 of 10', () => {
  expect(analyze('security', '--offline=yes', '--threshold=20', '--no-pager', unit).code).toBe(0);
});
