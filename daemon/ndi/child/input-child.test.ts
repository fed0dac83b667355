import { ptr } from 'bun:ffi';
import { afterEach, expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noTime } from '../../../native/ndi/layout.ts';
import { closePipe, openPipe } from '../../../native/ndi/pipe.ts';
import { shippedTiming } from '../../shipped-timing.ts';
import { streamHead } from '../media/matroska-writer.ts';
import type { ChildMessage } from '../messages.ts';
import { InputChild } from './input-child.ts';

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

const size = { width: 4, height: 2 };
const rate = { numerator: 25, denominator: 1 };
const head = (aspect: number, { width, height } = size) =>
  Buffer.from(streamHead({ width, height, fourCc: 'UYVY', rate, aspect }, undefined));
const unknownTimes = { timecode: noTime, timestamp: noTime };

function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-input-'));
  const path = join(folder, 'stream');
  const pipe = openSync(path, 'w');
  ends.push(
    () => rmSync(folder, { recursive: true }),
    () => closeSync(pipe),
  );
  return { pipe, written: () => readFileSync(path) };
}

/** A source whose time is set by the test. */
function open(pipe: number) {
  const messages: ChildMessage[] = [];
  const warnings: string[] = [];
  const time = { now: 0 };
  const child = new InputChild({
    ...{ pipe, timing: { ...shippedTiming.ndi, unreadMs: 50 }, now: () => time.now },
    send: (message) => void messages.push(message),
    warn: (text) => void warnings.push(text),
  });
  const video = (data: Uint8Array<ArrayBuffer>, { width, height } = size, stride = width * 2, aspect = 0) =>
    child.video({ width, height, fourCc: 'UYVY', rate, aspect, stride, data: ptr(data), ...unknownTimes });
  const picture = ({ width, height } = size) =>
    video(new Uint8Array(new ArrayBuffer(width * height * 2)), { width, height });
  const sound = (sampleRate = 48_000) => {
    const data = new Uint8Array(new ArrayBuffer(4));
    child.audio({ sampleRate, channels: 1, samples: 1, stride: 4, data: ptr(data), ...unknownTimes });
  };
  /** Sends frames of one size every 100 ms. */
  const send = (ms: number, of = size) => {
    for (const end = time.now + ms; time.now < end; time.now += 100) {
      sound();
      picture(of);
    }
  };
  const ended = () => messages.flatMap((message) => (message.type === 'ended' ? [message.cause] : []));
  return { child, time, video, picture, sound, send, messages, warnings, ended };
}

/** Returns what is written for a source without sound. */
function writtenFor(aspect: number): Buffer {
  const { pipe, written } = openFile();
  const { time, video } = open(pipe);
  const picture = new Uint8Array(new ArrayBuffer(size.width * size.height * 2));
  for (time.now of [0, 1000]) video(picture, size, size.width * 2, aspect);
  return written();
}

test('an aspect that no picture has counts as none', () => {
  expect(writtenFor(16 / 9).subarray(0, head(16 / 9).length)).toEqual(head(16 / 9));
  for (const aspect of [0, 1e30, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(writtenFor(aspect).subarray(0, head(0).length)).toEqual(head(0));
  }
});

test.each([
  ['with padded lines', 12],
  ['with the last pixel alone', 10],
])('of an odd size %s, the last column and line are left out', (_, stride) => {
  const { pipe, written } = openFile();
  const { time, video, messages } = open(pipe);
  const odd = { width: 5, height: 3 };
  // Each byte is the number of its line and its column.
  const picture = new Uint8Array(new ArrayBuffer(stride * odd.height)).map(
    (_, at) => Math.floor(at / stride) * 16 + (at % stride),
  );
  for (time.now of [0, 1000]) video(picture, odd, stride);
  expect(messages[0]).toMatchObject({ type: 'receiving', width: 4, height: 2 });
  const file = written();
  expect(file.subarray(0, head(0).length)).toEqual(head(0));
  expect([...file.subarray(-16)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
});

const large = { width: 8, height: 4 };

test('a source that changes its size after a long time gets another encoder at once', () => {
  const { send, ended, warnings } = open(openFile().pipe);
  send(10_000);
  send(100, large);
  expect([ended(), warnings]).toEqual([['formatChanged'], []]);
});

test('a source that keeps changing its size gets another encoder only once the size is stable', () => {
  const { send, ended, warnings, child } = open(openFile().pipe);
  for (let round = 0; round < 30; round++) {
    send(1000, round % 2 === 0 ? size : large);
    expect([child.isOver, ended()]).toEqual([false, []]);
  }
  expect(warnings).toHaveLength(1);
  send(shippedTiming.ndi.stableMs, large);
  expect(ended()).toEqual(['formatChanged']);
  expect(warnings).toHaveLength(1);
});

test('while the size changes, audio continues, and video continues when it has the first size again', () => {
  const { pipe, written } = openFile();
  const { send, ended, picture, sound } = open(pipe);
  send(1000);
  send(500, large);
  const grows = (work: () => void) => {
    const before = written().length;
    work();
    return written().length > before;
  };
  expect([grows(() => picture(large)), grows(sound), grows(picture)]).toEqual([false, true, true]);
  send(5000);
  expect(ended()).toEqual([]);
});

test('a reader that takes nothing is reported, one that is gone is not', () => {
  const pipe = openPipe();
  ends.push(() => closePipe(pipe));
  const stuck = open(pipe.write);
  stuck.sound();
  const big = { width: 1024, height: 1024 };
  stuck.picture(big);
  expect([stuck.child.isOver, stuck.ended()]).toEqual([true, ['notRead']]);

  const other = openPipe();
  closeSync(other.read);
  ends.push(() => closeSync(other.write));
  const alone = open(other.write);
  alone.sound();
  alone.picture();
  expect([alone.child.isOver, alone.ended()]).toEqual([true, []]);
});
