import { expect, test } from 'bun:test';
import { CallError } from '../../lib/call-error.ts';
import { type SentPart, sendFile } from './send-file.ts';

const mebibyte = 1024 * 1024;
const size = 80 * mebibyte;
const file = new File([new Uint8Array(size)], 'a.mwf');

type Answer = number | Error;

/** Sends to a hub that gives these answers in turn; without one, it takes the part. */
async function send(
  answers: readonly (Answer | undefined)[],
  { from = 0, signal = new AbortController().signal } = {},
) {
  const parts: [from: number, end: number][] = [];
  const [waits, stalls, progress]: [number[], unknown[], number[]] = [[], [], []];
  const left = [...answers];
  const put = async (part: SentPart) => {
    parts.push([part.from, part.end]);
    const answer = left.shift() ?? part.end;
    if (answer instanceof Error) throw answer;
    part.onSent(1);
    return answer;
  };
  const outcome = await sendFile({
    ...{ task: 7, file, from, signal, put, onProgress: (done) => progress.push(done) },
    onStall: (reason) => stalls.push(reason),
    wait: async (ms) => void waits.push(ms),
  }).catch((error) => error);
  return { outcome, parts, waits, stalls, progress };
}

test('a file is sent in parts, and its progress is told within them', async () => {
  const { outcome, parts, progress, waits } = await send([]);
  expect(outcome).toBeUndefined();
  expect(parts.map(([from, end]) => [from / mebibyte, end / mebibyte])).toEqual([
    [0, 32],
    [32, 64],
    [64, 80],
  ]);
  expect(progress).toEqual([1, 32 * mebibyte, 32 * mebibyte + 1, 64 * mebibyte, 64 * mebibyte + 1, size]);
  expect(waits).toEqual([]);
});

test('a lost connection is tried again, ever more slowly, and the rest of the file follows', async () => {
  const away = new CallError('unreachable');
  const { outcome, parts, waits, stalls } = await send([
    undefined,
    away,
    away,
    new CallError('rangeError', { params: { done: 40 * mebibyte } }),
  ]);
  expect(outcome).toBeUndefined();
  expect(parts.map(([from]) => from / mebibyte)).toEqual([0, 32, 32, 32, 40, 72]);
  expect(waits).toHaveLength(3);
  expect(stalls.filter((one) => one !== undefined)).toHaveLength(3);
  expect(stalls.at(-1)).toBeUndefined();
});

test('a resumed upload continues where the hub is', async () => {
  const { parts } = await send([], { from: 70 * mebibyte });
  expect(parts).toEqual([[70 * mebibyte, size]]);
});

test('a full disk and a connection that is still open are waited for', async () => {
  const { outcome, waits } = await send([new CallError('noSpace'), new CallError('inProgress')]);
  expect([outcome, waits.length]).toEqual([undefined, 2]);
});

test('a refusal ends the upload', async () => {
  for (const fault of ['notExist', 'notLoggedIn', 'notPermitted', 'canceled', 'verifyFailed'] as const) {
    const { outcome, parts } = await send([new CallError(fault)]);
    expect(outcome).toEqual(new CallError(fault));
    expect(parts).toHaveLength(1);
  }
});

test('a file that cannot be read any more ends it, too', async () => {
  const gone = new File(['xyz'], 'a.mwf');
  gone.slice = () => ({ arrayBuffer: () => Promise.reject(new Error('NotReadableError')) }) as unknown as Blob;
  const sending = sendFile({
    ...{ task: 7, file: gone, from: 0, signal: new AbortController().signal, onProgress: () => {}, onStall: () => {} },
    put: () => Promise.reject(new CallError('unreachable')),
    wait: async () => {},
  });
  await expect(sending).rejects.toMatchObject({ fault: 'readFailed' });
});

test('a canceled upload sends nothing more', async () => {
  const abort = new AbortController();
  abort.abort(new CallError('canceled'));
  const { outcome, parts } = await send([], { signal: abort.signal });
  expect([outcome, parts]).toEqual([new CallError('canceled'), []]);
});
