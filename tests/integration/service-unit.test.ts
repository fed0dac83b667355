/** Checks the unit files with systemd's own tool, without running a service. */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { installed, installLayout } from '../../daemon/lib/install-layout.ts';
import { confinedEngine, engineCommand, memorySettings } from '../../daemon/media/engine-command.ts';

const root = join(import.meta.dir, '../..');
const units = [
  ...['signalbox.service', 'signalbox-engine.service'],
  ...['appliance/signalbox-helper@.service', 'appliance/signalbox-firewall.service'],
];
const textOf = (name: string) => readFileSync(join(root, 'system', name), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'sb-unit-'));
afterAll(() => rmSync(folder, { recursive: true }));

function analyze(...args: readonly string[]): { code: number; output: string } {
  const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', ...args], { stdout: 'ignore', stderr: 'pipe' });
  return { code: exitCode, output: stderr.toString() };
}

test.each(units)('systemd understands every line of %s', (name) => {
  const text = textOf(name);
  const copy = join(folder, basename(name).replace('@', '@test'));
  writeFileSync(copy, text.replace('ExecStart=/opt/signalbox/bin/signalbox', `ExecStart=${process.execPath}`));
  expect(analyze('verify', copy)).toEqual({ code: 0, output: '' });
});

test.each(units)('the exposure of %s is at most 2.0 of 10, also in an appliance', (name) => {
  const unit = join(folder, basename(name));
  writeFileSync(unit, textOf(name));
  mkdirSync(`${unit}.d`, { recursive: true });
  if (name === 'signalbox.service') writeFileSync(join(`${unit}.d`, 'appliance.conf'), textOf('appliance/hub.conf'));
  expect(analyze('security', '--offline=yes', '--threshold=20', '--no-pager', unit).code).toBe(0);
});

test('no unit passes on a variable that gives a program other code', () => {
  const [first, ...others] = units.map((name) => textOf(name).match(/^UnsetEnvironment=.*$/gm));
  expect(first?.join(' ')).toContain('LD_PRELOAD');
  for (const lines of others) expect(lines).toEqual(first ?? null);
});

test('the unit of the engine gives it the memory settings that the hub gives to an engine of its own', () => {
  const lines = textOf('signalbox-engine.service').match(/^Environment=.*$/gm);
  expect([...(lines ?? [])]).toEqual(
    Object.entries(memorySettings).map(([name, value]) => `Environment=${name}=${value}`),
  );
});

test('the unit of the engine gives it the rights that the hub gives to an engine of its own', () => {
  const layout = installed('/opt/signalbox/bin/signalbox', {});
  const line =
    /^ExecStart=\/bin\/sh -c '[^']+' sh ((?:.*\\\n)*.*)/m.exec(textOf('signalbox-engine.service'))?.[1] ?? '';
  const unit = optionsOf(line.split(/[\s\\]+/).filter((word) => word !== ''));
  const place = { dataDir: join(folder, 'data'), ffmpeg: 'ffmpeg' };
  // Only a machine with further certificates has this.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const own = optionsOf(confinedEngine(engineCommand(place), place));
  const { run, read, list } = installLayout.code;
  const ofSources = new Set([...run, ...read, ...list]);
  const expected = own.rights
    .filter((right) => !ofSources.has(right.split(' ')[1] ?? ''))
    .map((right) =>
      right.replace(place.dataDir, '/var/lib/signalbox').replace(process.execPath, layout.command[0] ?? ''),
    )
    .concat(layout.code.run.map((path) => `--run ${path}`));
  expect(unit.launcher).toBe(layout.confine);
  expect(unit.rights).toEqual(expected.toSorted());
  expect(unit.command).toEqual([...layout.command, 'media', '--unit', '--data-dir', '/var/lib/signalbox']);
});

/** The words of a command with the launcher, whose rights are each an option with its value. */
function optionsOf([launcher = '', ...words]: readonly string[]) {
  const end = words.indexOf('--');
  const rights = words
    .slice(0, end)
    .join(' ')
    .split(/ (?=--)/);
  return { launcher, rights: rights.toSorted(), command: words.slice(end + 1) };
}
