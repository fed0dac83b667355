import { ptr } from 'bun:ffi';
import { expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noTime } from '../../../native/ndi/layout.ts';
import { streamHead } from '../media/matroska-writer.ts';
import { InputChild } from './input-child.ts';

const size = { width: 4, height: 2 };
const rate = { numerator: 25, denominator: 1 };
const head = (aspect: number) => Buffer.from(streamHead({ ...size, fourCc: 'UYVY', rate, aspect }, undefined));

/** Returns what is written for a source without sound. */
function writtenFor(aspect: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-input-'));
  const pipe = openSync(join(folder, 'stream'), 'w');
  try {
    let now = 0;
    const child = new InputChild({ pipe, send: () => {}, now: () => now });
    const picture = new Uint8Array(new ArrayBuffer(size.width * size.height * 2));
    for (now of [0, 1000]) {
      child.video({
        ...{ ...size, fourCc: 'UYVY', rate, aspect, stride: size.width * 2 },
        ...{ data: ptr(picture), timecode: noTime, timestamp: noTime },
      });
    }
    return readFileSync(join(folder, 'stream'));
  } finally {
    closeSync(pipe);
    rmSync(folder, { recursive: true });
  }
}

test('an aspect that no picture has counts as none', () => {
  expect(writtenFor(16 / 9).subarray(0, head(16 / 9).length)).toEqual(head(16 / 9));
  for (const aspect of [0, 1e30, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(writtenFor(aspect).subarray(0, head(0).length)).toEqual(head(0));
  }
});
