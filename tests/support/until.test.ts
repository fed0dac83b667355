import { expect, test } from 'bun:test';
import { addLog, until, untilSeen } from './until.ts';

test('checks again until the condition holds, and returns the value that fits', async () => {
  let looks = 0;
  expect(await until(() => ++looks === 3)).toBeGreaterThan(0);
  expect(looks).toBe(3);
  expect(
    await untilSeen(
      async () => ++looks,
      (seen) => seen > 5,
    ),
  ).toBe(6);
});

test('a timeout error shows the condition, the last value and the end of each log', async () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
  const forget = addLog('engine of a test', () => `${lines.join('\n')}\n`);
  const channel = { state: 'offline', input: { reason: 'noInput' } };
  const failed = untilSeen(
    () => channel,
    ({ state }) => state === 'live',
    50,
  );
  const message = await failed.then(
    () => '',
    (error: Error) => error.message,
  );
  forget();
  expect(message).toMatch(/^not within \d+ ms: .*state === "live"/);
  expect(message).toContain('state: "offline"');
  expect(message).toContain('reason: "noInput"');
  expect(message).toContain('── engine of a test\nline 60\n');
  expect(message).toEndWith('line 99');
  await expect(until(() => false, 1, 'the engine runs')).rejects.toThrow(/^not within \d+ ms: the engine runs$/);
});

test('a check that throws ends the wait', async () => {
  const gone = () => Promise.reject(new Error('the hub ended'));
  await expect(until(gone)).rejects.toThrow('the hub ended');
});
