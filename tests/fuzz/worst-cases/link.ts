/** One message of a device's link, as large as the limit allows. */
import { createPair, createSide, toPort } from '../../../daemon/link/core-rig-for-test.ts';
import {
  frameOf,
  frameTypes,
  maxHandshakeBytes,
  maxMessageBytes,
  u16Payload,
  u32Payload,
} from '../../../daemon/link/frames.ts';
import { toPayload } from '../../../daemon/link/payloads.ts';
import type { WorstCase } from '../worst-case.ts';

const openRequest = toPayload(toPort(1, 'bulk'));
const opening = (id: number) => frameOf(frameTypes.open, id, openRequest);

/** Frames up to the size of a message; `make` gets their number. */
function messageOf(make: (at: number) => Uint8Array): Uint8Array {
  const frames: Uint8Array[] = [];
  for (let bytes = 0, at = 0; ; at++) {
    const frame = make(at);
    bytes += frame.length;
    if (bytes > maxMessageBytes) return Buffer.concat(frames);
    frames.push(frame);
  }
}

const link = (input: string, make: (at: number) => Uint8Array): WorstCase => ({
  parser: 'link',
  input,
  prepare() {
    const { device } = createPair();
    device.core.receive(opening(2), 0);
    const message = messageOf(make);
    return () => device.core.receive(message, 0);
  },
});

export const linkCases: readonly WorstCase[] = [
  link('single bytes', () => frameOf(frameTypes.data, 2, Uint8Array.of(1))),
  link('streams that open', (at) => opening(4 + 2 * at)),
  link('streams that open and are reset', (at) =>
    Buffer.concat([opening(4 + 2 * at), frameOf(frameTypes.rst, 4 + 2 * at, u16Payload(1))]),
  ),
  link('credit of one byte', () => frameOf(frameTypes.credit, 2, u32Payload(1))),
  link('resets of a closed stream', () => frameOf(frameTypes.rst, 2, u16Payload(1))),
  {
    parser: 'link',
    input: 'nested HELLO',
    prepare() {
      const hub = createSide('listener', 0);
      const half = (maxHandshakeBytes - 10) / 2;
      const hello = frameOf(frameTypes.hello, 0, Buffer.from(`{"a":${'['.repeat(half)}${']'.repeat(half)}}`));
      return () => hub.core.receive(hello, 0);
    },
  },
];
