import { expect, test } from 'bun:test';
import { columnGroups } from './column-groups.ts';

const input = (id: number, source: string | null, group = '') => ({ id, source, group });

test('inputs of one machine are a group, unless they have an NDI group or their machine has no other input', () => {
  const groups = columnGroups([
    input(1, 'TRUCK (Camera 1)'),
    input(2, 'STUDIO (Camera 1)'),
    input(3, 'TRUCK (Camera 2)'),
    input(4, 'TRUCK (Replay)', 'Replay'),
    input(5, null),
    input(6, null),
  ]);
  expect([...groups.values()]).toEqual(['TRUCK', '', 'TRUCK', 'Replay', '', '']);
});
