/** Messages of a device's link, from a peer that has not proven who it is and from one that has. */
import { createPair, createSide, readAll, toPort } from '../../../daemon/link/core-rig-for-test.ts';
import { frameOf, frameTypes, u16Payload, u32Payload } from '../../../daemon/link/frames.ts';
import { createDialerHandshake, createListenerHandshake } from '../../../daemon/link/handshake.ts';
import { createIdentity } from '../../../daemon/link/identity.ts';
import { toPayload } from '../../../daemon/link/payloads.ts';
import { type FuzzTarget, parser } from '../target.ts';

const frame = (type: keyof typeof frameTypes, id: number, payload: Uint8Array = new Uint8Array()) =>
  frameOf(frameTypes[type], id, payload);

const streams = Buffer.concat([
  frame('open', 2, toPayload(toPort(80, 'bulk'))),
  frame('data', 2, new Uint8Array(3000).fill(7)),
  frame('open', 4, toPayload({ kind: 'service', service: 'x', priority: 'control', requestId: 'r', user: 'u' })),
  frame('credit', 4, u32Payload(70_000)),
  frame('ping', 0, u32Payload(5)),
  frame('data', 4, new Uint8Array(10)),
  frame('fin', 4),
  frame('rst', 2, u16Payload(1)),
  frame('goAway', 0, toPayload({ reason: 'stopping', spreadMs: 1000 })),
]);
const identity = createIdentity();
const device = createDialerHandshake({
  identity,
  claim: { role: 'device', serial: 'SN1', details: { model: 'Encoder' } },
  limits: { window: 8192, frame: 65_536, streams: 256 },
  pinnedKey: undefined,
  certificate: undefined,
});
const greeting = Buffer.concat([
  frame('hello', 0, toPayload(device.hello())),
  frame('proof', 0, toPayload({ signature: 'a'.repeat(86), details: { model: 'Encoder' } })),
]);

export const linkTargets: readonly FuzzTarget[] = [
  parser(
    'link',
    800,
    () => [streams],
    (input) => {
      const { device: side } = createPair();
      side.core.receive(input, 0);
      for (const { stream } of side.opened) readAll(stream);
      side.core.tick(1000);
      while (side.core.next() !== undefined);
      return side;
    },
  ),
  parser(
    'link-greeting',
    400,
    () => [greeting, streams],
    (input) => {
      const handshake = createListenerHandshake({ identity, certificate: undefined });
      const hub = createSide('listener', 0, {
        handshake: (type, payload) =>
          type === 'hello' ? hub.core.greet('challenge', handshake.onHello(payload)) : handshake.onProof(payload),
      });
      hub.core.receive(input, 0);
      return hub;
    },
  ),
];
