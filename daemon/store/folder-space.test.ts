import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderSpace } from './folder-space.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-space-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder with space is not full, and the check leaves nothing behind', () => {
  const space = createFolderSpace(folder);
  expect(space.current()).toEqual({ freeBytes: undefined, isFull: false });
  expect(space.look().freeBytes).toBeGreaterThan(0);
  expect(space.current().isFull).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test('the space of a missing folder is unknown', () => {
  expect(createFolderSpace(join(folder, 'missing')).look()).toEqual({ freeBytes: undefined, isFull: false });
});
