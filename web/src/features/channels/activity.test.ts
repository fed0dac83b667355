import { expect, test } from 'bun:test';
import type { Operation } from '../../../../daemon/contract/logs.ts';
import { activityOf } from './activity.ts';

const entry = (action: string, subject: string, changes: Operation['changes'] = []): Operation => ({
  ...{ id: 1, time: 0, user: 'Anna', ip: '', via: '', detail: subject, result: 0 },
  ...{ action, subject, changes },
});

test('the activity of a channel has its own entries and those that name it, not those of similar names', () => {
  const own = entry('channel.enable', 'Studio');
  const output = entry('output.add', 'Rack', [{ word: 'forChannel', value: 'Studio' }]);
  const others = [
    entry('channel.enable', 'Studio 2'),
    entry('input.set', 'Studio'),
    entry('channel.setInput', 'Roof', [{ word: 'input', value: 'Studio' }]),
  ];
  expect(activityOf([own, ...others, output], 'Studio')).toEqual([own, output]);
});
