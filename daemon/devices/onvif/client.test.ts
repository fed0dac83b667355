import { expect, test } from 'bun:test';
import { readClock } from './client.ts';

test.each([
  ['2026', Date.UTC(2026, 8, 13)],
  ['275760', 'unstated'],
  ['-5', 'unstated'],
  ['x', 'unstated'],
])('a clock in the year %s is %p', async (year, clock) => {
  const date = `<Date><Year>${year}</Year><Month>9</Month><Day>13</Day></Date>`;
  const time = '<Time><Hour>0</Hour><Minute>0</Minute><Second>0</Second></Time>';
  const utc = `<SystemDateAndTime><UTCDateTime>${date}${time}</UTCDateTime></SystemDateAndTime>`;
  const answer = `<Envelope><Body><GetSystemDateAndTimeResponse>${utc}</GetSystemDateAndTimeResponse></Body></Envelope>`;
  const transport = {
    request: async () => ({ status: 200, headers: new Headers(), body: new TextEncoder().encode(answer) }),
  };
  expect(await readClock(transport, 1000, new AbortController().signal)).toBe(clock as number);
});
