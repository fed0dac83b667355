import { expect, test } from 'bun:test';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { applyToHistory } from './alarms-query.ts';

const alarm = (id: number, change: Partial<Alarm> = {}): Alarm => ({
  ...{
    id,
    kind: 'no-audio',
    severity: 'warning',
    channel: 1,
    name: 'Roof',
    threshold: 5,
    peak: 5,
    raised: id,
    cleared: 0,
  },
  ...change,
});

test('a history has the alarms of its channel, the newest first', () => {
  const changed = [alarm(1, { cleared: 9 }), alarm(3), alarm(4, { channel: 2 })];
  expect(applyToHistory([alarm(2), alarm(1)], 1, changed)).toEqual([alarm(3), alarm(2), alarm(1, { cleared: 9 })]);
});
