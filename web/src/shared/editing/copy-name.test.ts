import { expect, test } from 'bun:test';
import { limits } from '../../../../daemon/contract/limits.ts';
import { ChannelName, countedLength } from '../../../../daemon/contract/rules.ts';
import { copyName } from './copy-name.ts';

test('the first free name is proposed, and the word does not pile up', () => {
  expect(copyName('Studio', ['Studio'], 'copy')).toBe('Studio copy');
  expect(copyName('Studio', ['Studio', 'Studio copy'], 'copy')).toBe('Studio copy 2');
  expect(copyName('Studio copy', ['Studio', 'Studio copy'], 'copy')).toBe('Studio copy 2');
  expect(copyName('Studio copy 2', ['Studio copy', 'Studio copy 2'], 'copy')).toBe('Studio copy 3');
  expect(copyName('主播间 副本', ['主播间 副本'], '副本')).toBe('主播间 副本 2');
});

test('a long name is cut to the limit, not within a character, and stays valid', () => {
  for (const name of ['a'.repeat(63), '演'.repeat(21), 'a\u030a\u0323'.repeat(9), `${'a'.repeat(57)} bcdef`]) {
    for (const word of ['copy', '副本']) {
      const copy = copyName(name, [], word);
      expect(countedLength(copy)).toBeLessThanOrEqual(limits.name.max);
      expect(ChannelName.safeParse(copy).success).toBe(true);
      expect(name.startsWith(copy.slice(0, -word.length - 1))).toBe(true);
    }
  }
  expect(copyName('a'.repeat(63), [copyName('a'.repeat(63), [], 'copy')], 'copy')).toBe(`${'a'.repeat(56)} copy 2`);
});
