/** Two adjacent UDP ports, the even one for RTP and the odd one for RTCP (RFC 3550, section 11). */
import { createSocket, type Socket } from 'node:dgram';

export type UdpPair = ReturnType<typeof pairOf>;

const attempts = 20;
/** A 4K picture arrives as a burst of several hundred datagrams. */
const receiveBufferBytes = 2 << 20;

/**
 * Binds the pair to `local`, an address of this machine. Resolves with undefined if no such ports are free. Datagrams
 * from senders other than `sender` are dropped.
 */
export async function openUdpPair(sender: string, local: string): Promise<UdpPair | undefined> {
  const type = sender.includes(':') ? 'udp6' : 'udp4';
  const pair = await findNeighbours(
    (port) => bind(type, local, port),
    (socket) => socket.address().port,
  );
  return pair && pairOf(pair, pair[0].address().port, sender);
}

/** Finds an even port and the next one. `open` takes any port for 0, and resolves with undefined if a port is taken. */
export async function findNeighbours<S extends { close(): void }>(
  open: (port: number) => Promise<S | undefined>,
  portOf: (socket: S) => number,
): Promise<[S, S] | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const first = await open(0);
    const port = first ? portOf(first) : 1;
    const second = port % 2 === 0 ? await open(port + 1) : undefined;
    if (first && second) return [first, second];
    first?.close();
  }
  return undefined;
}

function pairOf(sockets: readonly [Socket, Socket], rtpPort: number, sender: string) {
  const senders = new Set([sender]);
  const pair = {
    rtpPort,
    /** Called for each datagram from an allowed sender; `part` 0 is RTP, 1 RTCP. */
    onPacket: (_part: 0 | 1, _payload: Uint8Array) => {},
    /** Also accepts datagrams from this address of the same server. */
    allow: (other: string) => void senders.add(other),
    send: (part: 0 | 1, payload: Uint8Array, port: number, address: string) =>
      sockets[part].send(payload, port, address, () => {}),
    close() {
      for (const socket of sockets) socket.close();
    },
  };
  for (const part of [0, 1] as const) {
    sockets[part].on('message', (payload, { address }) => {
      if (senders.has(address)) pair.onPacket(part, payload);
    });
    sockets[part].on('error', () => {});
  }
  return pair;
}

function bind(type: 'udp4' | 'udp6', address: string, port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket({ type, recvBufferSize: receiveBufferBytes });
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind(port, address, () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}
