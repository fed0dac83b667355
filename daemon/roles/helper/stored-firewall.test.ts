import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FirewallSetup } from '../../appliance/firewall/setup.ts';
import { prepareStoring, storedFirewall } from './stored-firewall.ts';

const setup: FirewallSetup = { mode: 1, wan: ['eth1'], console: [80, 443], rules: [] };
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sb-stored-firewall-'));
  file = join(folder, 'firewall.json');
  process.env.STATE_DIRECTORY = folder;
});
afterEach(() => {
  delete process.env.STATE_DIRECTORY;
  rmSync(folder, { recursive: true });
});

test('a filter counts only once it is in effect, and belongs to root', () => {
  const keep = prepareStoring(setup);
  expect(storedFirewall()).toBeUndefined();
  keep();
  expect(storedFirewall()).toEqual({ setup });
  prepareStoring({ ...setup, mode: 0 });
  expect(storedFirewall()).toEqual({ setup });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('without a folder of the unit, nothing is stored and nothing is there', () => {
  delete process.env.STATE_DIRECTORY;
  prepareStoring(setup)();
  expect(storedFirewall()).toBeUndefined();
});

test('a damaged file closes all ports of every interface but the usual ones of the console', () => {
  const closed = { mode: 0, console: [80, 443, 8880, 8443], rules: [] };
  const damage = [
    () => truncateSync(file, 20),
    () => writeFileSync(file, '{}'),
    () => writeFileSync(file, JSON.stringify({ ...setup, mode: 5 })),
  ];
  for (const spoil of damage) {
    prepareStoring(setup)();
    spoil();
    const stored = storedFirewall();
    expect(stored?.setup).toMatchObject(closed);
    expect(stored?.setup.wan).not.toContain('lo');
    expect(stored?.fault).toBeString();
  }
});
