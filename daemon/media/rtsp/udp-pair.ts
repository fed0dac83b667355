/** Two neighbouring UDP ports, the even one for RTP and the odd one for RTCP (RFC 3550, section 11). */
import { createSocket, type Socket } from 'node:dgram';

export interface UdpPair {
  readonly rtpPort: number;
  /** Called for each datagram of the allowed sender; `part` 0 is RTP, 1 RTCP. */
  onPacket: (part: 0 | 1, payload: Uint8Array) => void;
  send(part: 0 | 1, payload: Uint8Array, port: number, address: string): void;
  close(): void;
}

const attempts = 20;
/** One picture of 4K comes as some hundreds of datagrams at once. */
const receiveBufferBytes = 2 << 20;

/** Undefined when no such ports are free. Datagrams of others than `sender` are dropped. */
export async function openUdpPair(sender: string): Promise<UdpPair | undefined> {
  const type = sender.includes(':') ? 'udp6' : 'udp4';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const rtp = await bind(type, 0);
    const rtpPort = rtp?.address().port ?? 1;
    const rtcp = rtpPort % 2 === 0 ? await bind(type, rtpPort + 1) : undefined;
    if (rtp && rtcp) return pairOf([rtp, rtcp], rtpPort, sender);
    rtp?.close();
  }
  return undefined;
}

function pairOf(sockets: readonly [Socket, Socket], rtpPort: number, sender: string): UdpPair {
  const pair: UdpPair = {
    rtpPort,
    onPacket: () => {},
    send: (part, payload, port, address) => sockets[part].send(payload, port, address, () => {}),
    close() {
      for (const socket of sockets) socket.close();
    },
  };
  for (const part of [0, 1] as const) {
    sockets[part].on('message', (payload, { address }) => {
      if (address === sender) pair.onPacket(part, payload);
    });
    sockets[part].on('error', () => {});
  }
  return pair;
}

function bind(type: 'udp4' | 'udp6', port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket({ type, recvBufferSize: receiveBufferBytes });
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind(port, () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}
