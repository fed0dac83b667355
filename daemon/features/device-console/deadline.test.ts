import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { createDeadline } from './deadline.ts';

let late: string[] = [];
const mark = (name: string) => () => void late.push(name);
beforeEach(() => {
  late = [];
});
afterEach(() => setSystemTime());

test('only the limit that was started last is called, once', async () => {
  const deadline = createDeadline();
  deadline.start(30_000, mark('long'));
  deadline.start(5, mark('short'));
  await until(() => late.length > 0);
  deadline.start(5, mark('next'));
  await until(() => late.length > 1);
  expect(late).toEqual(['short', 'next']);
});

test('a limit that is stopped or renewed is not called by the timer of an earlier one', async () => {
  const deadline = createDeadline();
  deadline.start(20, mark('stopped'));
  deadline.stop();
  deadline.start(60_000, mark('long'));
  const other = createDeadline();
  other.start(40, mark('other'));
  await until(() => late.length > 0);
  expect(late).toEqual(['other']);
  deadline.close();
  other.close();
});

test('a limit does not depend on the clock of the machine', async () => {
  const deadline = createDeadline();
  deadline.start(20, mark('late'));
  setSystemTime(new Date('2001-01-01'));
  await until(() => late.length > 0);
  expect(late).toEqual(['late']);
});
