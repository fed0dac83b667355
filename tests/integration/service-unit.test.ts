/** Checks the unit files with systemd's own tool, without running a service. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { confinedEngine, engineCommand } from '../../daemon/media/engine-command.ts';

const root = join(import.meta.dir, '../..');
const units = ['signalbox.service', 'signalbox-engine.service'] as const;
const textOf = (name: string) => readFileSync(join(root, 'system', name), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'sb-unit-'));
afterAll(() => rmSync(folder, { recursive: true }));

function analyze(...args: readonly string[]): { code: number; output: string } {
  const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', ...args], { stdout: 'ignore', stderr: 'pipe' });
  return { code: exitCode, output: stderr.toString() };
}

test.each(units)('systemd understands every line of %s', (name) => {
  const text = textOf(name);
  const program = /^ExecStart=(\S+)/m.exec(text)?.[1] ?? '';
  const copy = join(folder, name);
  writeFileSync(copy, text.replace(program, process.execPath));
  expect(analyze('verify', copy)).toEqual({ code: 0, output: '' });
});

test.each(units)('the exposure of %s is at most 2.0 of 10', (name) => {
  const unit = join(root, 'system', name);
  expect(analyze('security', '--offline=yes', '--threshold=20', '--no-pager', unit).code).toBe(0);
});

test('the unit of the engine gives it the rights that the hub gives to an engine of its own', () => {
  const line = /^ExecStart=((?:.*\\\n)*.*)/m.exec(textOf('signalbox-engine.service'))?.[1] ?? '';
  const words = line.split(/[\s\\]+/).map((word) => word.replace('/opt/signalbox', root));
  const place = { dataDir: join(folder, 'data'), ffmpeg: 'ffmpeg' };
  // Only a machine with further certificates has this.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const own = confinedEngine(engineCommand(place), place).map((word) =>
    word.replace(place.dataDir, '/var/lib/signalbox').replace(process.execPath, `${root}/.toolchain/bin/bun`),
  );
  const rightsOf = (all: readonly string[]) => all.slice(1, all.indexOf('--')).toSorted();
  const unitRights = rightsOf(words).map((word) => word.replace(/\.toolchain$/, '.toolchain/bin/bun'));
  expect(words[0]).toBe(own[0] ?? '');
  expect(unitRights).toEqual(rightsOf(own));
  const commandOf = (all: readonly string[]) =>
    all.slice(all.indexOf('--') + 1).map((word) => word.replace(`${root}/`, ''));
  expect(commandOf(words).filter((word) => word !== '--unit')).toEqual(commandOf(own).slice(0, -2));
});
