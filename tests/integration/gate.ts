/** A TCP proxy between the hub and a real server that a test can close, silence, freeze and cut. */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { leasePort } from '../support/ports.ts';

/**
 * `pass`: bytes go through. `silent`: connections are accepted and nothing is sent. `closing`: they are accepted and
 * closed at once.
 */
export type GateMode = 'pass' | 'silent' | 'closing';

export interface Gate {
  readonly port: number;
  mode: GateMode;
  /** Arrival times of connections, on the clock of `performance.now()`. */
  readonly arrivals: number[];
  /** Listens; a gate is initially open. */
  open(): Promise<void>;
  /** Stops listening and closes all connections. */
  close(): void;
  /** Closes all connections; new ones pass. */
  cut(how: 'end' | 'reset'): void;
  /** Stops reading from both sides: windows fill up, connections stay open. */
  freeze(): void;
  thaw(): void;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket | undefined;
}

const gates = new Set<Gate>();

export function closeGates(): void {
  for (const gate of gates) gate.close();
  gates.clear();
}

/**
 * `to`: the port of the real server on this machine. The gate's own port is leased: with a port from the kernel's
 * ephemeral range, a client of a closed gate could get the same port as its source port and connect to itself.
 */
export async function openGate({ to, mode = 'pass' }: { to: number; mode?: GateMode }): Promise<Gate> {
  const port = leasePort();
  const pairs = new Set<Pair>();
  let server: Server | undefined;
  let isFrozen = false;
  /** Connections whose peer has left in the meantime. */
  const parted: Socket[] = [];

  function accept(near: Socket): void {
    gate.arrivals.push(performance.now());
    near.on('error', () => {});
    if (gate.mode === 'closing') {
      near.end();
      return;
    }
    const far = gate.mode === 'pass' ? dial(to, '127.0.0.1') : undefined;
    const pair = { near, far };
    pairs.add(pair);
    if (far) join(near, far);
    near.on('close', () => {
      pairs.delete(pair);
      far?.destroy();
    });
  }

  const gate: Gate = {
    port,
    mode,
    arrivals: [],
    open: () =>
      new Promise((resolve, reject) => {
        if (server) return resolve();
        const next = createServer(accept);
        next.once('error', reject);
        next.listen(port, '127.0.0.1', () => resolve());
        server = next;
      }),
    close() {
      // Does not wait for the close, which would wait for the last connection, too.
      server?.close();
      server = undefined;
      for (const { near, far } of pairs) {
        near.destroy();
        far?.destroy();
      }
    },
    cut(how) {
      for (const { near, far } of [...pairs]) {
        if (how === 'reset') near.resetAndDestroy();
        else near.end();
        far?.destroy();
      }
    },
    freeze() {
      isFrozen = true;
      for (const { near, far } of pairs) {
        near.pause();
        far?.pause();
      }
    },
    thaw() {
      isFrozen = false;
      for (const near of parted.splice(0)) near.end();
      for (const { near, far } of pairs) {
        near.resume();
        far?.resume();
      }
    },
  };

  function join(near: Socket, far: Socket): void {
    far.on('error', () => near.destroy());
    far.on('close', () => {
      // While frozen, the close is held back until thaw().
      if (isFrozen) parted.push(near);
      else near.end();
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => {
        if (isFrozen) from.pause();
        if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => {
        if (!isFrozen) from.resume();
      });
    }
  }

  await gate.open();
  gates.add(gate);
  return gate;
}
