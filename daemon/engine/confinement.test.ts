import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { confinementPart, partOf } from './confinement.ts';

const all = { landlock: 2, seccomp: true };
const dataDir = '/var/lib/signalbox';

test('confinement is full with Landlock and seccomp', () => {
  expect(partOf(all, dataDir)).toEqual({ name: 'confinement', ok: true, version: 'Landlock 2' });
});

test.each([
  [{ landlock: 0, seccomp: true }, 'partial', /Landlock/],
  [{ landlock: 7, seccomp: false }, 'partial', /seccomp/],
  [{ landlock: 0, seccomp: false }, 'none', /neither Landlock nor seccomp/],
] as const)('with a kernel that offers %j, the report names the missing mechanism', (support, reason, message) => {
  expect(partOf(support, dataDir)).toMatchObject({ ok: false, reason, message: expect.stringMatching(message) });
});

test.each(['/usr/share/signalbox', '/etc/signalbox', '/usr'])(
  'child processes could read a data folder at %s',
  (path) => {
    expect(partOf(all, path)).toMatchObject({
      ok: false,
      reason: 'partial',
      message: expect.stringMatching(/DATA_DIR/),
    });
    expect(partOf(all, `/srv${path}`).ok).toBe(true);
  },
);

test('the launcher reports what this kernel offers', () => {
  const hasSeccomp = readFileSync('/proc/self/status', 'latin1').includes('\nSeccomp:');
  const { message = '' } = confinementPart(dataDir);
  expect(message.includes('seccomp')).toBe(!hasSeccomp);
});
