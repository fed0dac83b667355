/**
 * A hub without credit for each stream, to show what that costs. `unlimited`: it accepts any amount of data. `paused`: it
 * stops reading the whole link while any of its clients does not read. Arguments: mode, port of the device. Prints its
 * ports like `hub.ts`.
 */
import type { ServerWebSocket } from 'bun';
import { createLinkCore, type LinkCore } from '../../../daemon/link/core.ts';
import { lastStreamId, maxDataBytes } from '../../../daemon/link/frames.ts';
import { createListenerHandshake } from '../../../daemon/link/handshake.ts';
import { createIdentity } from '../../../daemon/link/identity.ts';
import { createPump } from '../../../daemon/link/pump.ts';
import { largestWindow } from '../../../daemon/link/receive-window.ts';
import { createSplice, joinSocket, type Splice, spliceHandlers } from '../../../daemon/link/splice.ts';
import { shippedTiming } from '../../../daemon/shipped-timing.ts';

const [mode = 'unlimited', target = '0'] = process.argv.slice(2);
const checkMs = 1;
const splices = new Set<Splice>();
let link: { readonly core: LinkCore; readonly pump: ReturnType<typeof createPump> } | undefined;
let socketOfLink: ServerWebSocket<unknown> | undefined;
let isPaused = false;

function createLink(socket: ServerWebSocket<unknown>) {
  const handshake = createListenerHandshake({ identity: createIdentity(), certificate: undefined });
  const streams = 256;
  const core: LinkCore = createLinkCore({
    side: 'listener',
    limits: { totalBytes: streams * largestWindow, streams, initialBytes: largestWindow },
    timing: shippedTiming.link,
    now: performance.now(),
    lastId: lastStreamId,
    events: {
      handshake(type, payload) {
        if (type === 'hello') core.greet('challenge', handshake.onHello(payload));
        else {
          const { limits } = handshake.onProof(payload);
          const own = { window: largestWindow, frame: maxDataBytes, streams };
          core.greet('welcome', { state: 'accepted', limits: own, spreadMs: 0 });
          core.enter('open', limits);
          console.log(JSON.stringify({ forward: forward.port }));
        }
      },
      opened: (stream) => stream.reset('notPermitted'),
      goAway: () => {},
      wake: () => pump.wake(),
      ended: () => socket.close(),
    },
  });
  const pump = createPump({ next: core.next, send: (message) => socket.sendBinary(message) > 0 });
  return { core, pump };
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request, self) =>
    self.upgrade(request, { headers: { 'sec-websocket-protocol': 'hublink.1' } }) ? undefined : new Response(null),
  websocket: {
    maxPayloadLength: 1 << 20,
    perMessageDeflate: false,
    open(socket) {
      socketOfLink = socket;
      link = createLink(socket);
    },
    message: (_, message) => link?.core.receive(message as Buffer, performance.now()),
    drain: () => link?.pump.drained(),
    close: () => link?.core.end('lost', 'closed'),
  },
});

const forward = Bun.listen<Splice | undefined>({
  hostname: '127.0.0.1',
  port: 0,
  allowHalfOpen: true,
  socket: {
    ...spliceHandlers,
    open(socket) {
      const stream = link?.core.open({ kind: 'tcp', port: Number(target), priority: 'interactive' });
      if (stream === undefined || typeof stream === 'string') {
        socket.terminate();
        return;
      }
      socket.data = createSplice(stream);
      splices.add(socket.data);
      joinSocket(socket.data, socket);
    },
    close(socket, fault) {
      if (socket.data !== undefined) splices.delete(socket.data);
      spliceHandlers.close(socket, fault);
    },
  },
});

/** Bun's types lack these. */
type Pausable = ServerWebSocket<unknown> & { pause(): void; resume(): void };
if (mode === 'paused') {
  setInterval(() => {
    const mustPause = [...splices].some(({ unwritten }) => unwritten !== undefined);
    if (mustPause === isPaused || socketOfLink === undefined) return;
    isPaused = mustPause;
    if (isPaused) (socketOfLink as Pausable).pause();
    else (socketOfLink as Pausable).resume();
  }, checkMs);
}
console.log(JSON.stringify({ link: server.port }));
