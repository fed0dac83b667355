import { expect, test } from 'bun:test';
import { until } from '../../tests/support/until.ts';
import { shareInterval } from './shared-interval.ts';

test('calls of one interval run together, those of another one apart, until each is ended', async () => {
  const seen: string[] = [];
  const note = () => void seen.push('b');
  const ends = [shareInterval(50, () => seen.push('a')), shareInterval(50, note), shareInterval(50, note)];
  const other = shareInterval(7000, () => seen.push('other'));
  await Bun.sleep(20);
  const late = shareInterval(50, () => seen.push('late'));
  await until(() => seen.length >= 8);
  expect(seen.slice(0, 8).join(' ')).toBe('a b b late a b b late');
  for (const end of [...ends, ...ends]) end();
  seen.length = 0;
  await until(() => seen.length >= 2);
  expect([...new Set(seen)]).toEqual(['late']);
  late();
  other();
  seen.length = 0;
  const again = shareInterval(50, () => seen.push('again'));
  await until(() => seen.length >= 2);
  again();
  expect([...new Set(seen)]).toEqual(['again']);
});
