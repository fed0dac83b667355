/** A network between two local programs that loses every nth media datagram. */
import { createSocket, type Socket } from 'node:dgram';

export interface LossyLink {
  readonly port: number;
  /** Number of datagrams lost in that direction. */
  readonly lost: () => number;
  close(): void;
}

export interface LossyLinkOptions {
  /** Destination port. */
  readonly port: number;
  /** One in this many is lost. */
  readonly every: number;
  /** Direction: to that port, or back from it. */
  readonly way: 'there' | 'back';
  /** Selects media; connection setup always passes. */
  readonly isMedia?: (datagram: Buffer) => boolean;
}

/** The first bit of an SRT packet is set in control packets. */
export const isSrtData = (datagram: Buffer): boolean => ((datagram[0] ?? 0) & 0x80) === 0;

export async function openLossyLink(options: LossyLinkOptions): Promise<LossyLink> {
  const { port, every, way, isMedia = () => true } = options;
  const [near, far] = [await bound(), await bound()];
  let peer: number | undefined;
  let [seen, lost] = [0, 0];
  const loses = (datagram: Buffer): boolean => {
    if (!isMedia(datagram) || ++seen % every !== 0) return false;
    lost++;
    return true;
  };
  near.on('message', (datagram, sender) => {
    peer = sender.port;
    if (way === 'there' && loses(datagram)) return;
    far.send(datagram, port, '127.0.0.1');
  });
  far.on('message', (datagram) => {
    if (peer === undefined || (way === 'back' && loses(datagram))) return;
    near.send(datagram, peer, '127.0.0.1');
  });
  return {
    port: near.address().port,
    lost: () => lost,
    close() {
      near.close();
      far.close();
    },
  };
}

async function bound(): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket;
}
