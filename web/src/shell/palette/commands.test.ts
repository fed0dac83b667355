import { expect, test } from 'bun:test';
import { type Command, findCommands } from './commands.ts';

const command = (group: Command['group'], text: string): Command => ({ group, text, path: `/${text}` });
const all = [
  command('pages', 'Channels'),
  command('pages', 'Settings, General'),
  command('actions', 'Add channel'),
  command('channels', 'Roof camera'),
  command('channels', 'Camera 2'),
];
const found = (search: string) => findCommands(all, search).map(({ text }) => text);

test('an empty search offers everything in the given order', () => {
  expect(found('')).toEqual(all.map(({ text }) => text));
});

test('every word must match, in any order and case', () => {
  expect(found('CAM roof')).toEqual(['Roof camera']);
  expect(found('roof 2')).toEqual([]);
});

test('entries that start with the search are first in their group', () => {
  expect(found('cam')).toEqual(['Camera 2', 'Roof camera']);
  expect(found('chan')).toEqual(['Channels', 'Add channel']);
});

test('a large group shows its best matches', () => {
  const many = Array.from({ length: 50 }, (_, at) => command('channels', `Camera ${at}`));
  expect(findCommands([...many, command('outputs', 'Camera recorder')], 'camera').length).toBe(9);
});

test('acts and settings are found by their words, and only once something is typed', () => {
  const acts: Command[] = [
    { group: 'acts', text: 'Stop Studio A', words: 'stop', run: () => {} },
    { group: 'settings', text: '告警推送', words: 'webhook', path: '/settings' },
  ];
  expect(findCommands(acts, '')).toEqual([]);
  expect(findCommands(acts, 'studio stop')).toEqual([acts[0]!]);
  expect(findCommands(acts, 'webhook')).toEqual([acts[1]!]);
});

test('what the hub has found is offered whatever its text is, once something is typed', () => {
  const device: Command = { group: 'devices', text: 'Roof · B313', path: '/device/detail/B313', isFound: true };
  expect(findCommands([device], '10.0.0.7')).toEqual([device]);
  expect(findCommands([device], '')).toEqual([]);
});
