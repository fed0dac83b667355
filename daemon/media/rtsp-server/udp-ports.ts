/** The sockets of one track: RTP goes out of the even one, reports out of the odd one (RFC 3550, section 11). */
import type { udp } from 'bun';
import { plainAddress } from '../../lib/local-network.ts';
import { findNeighbours } from '../rtsp/udp-pair.ts';

export interface UdpPorts {
  /** Of RTP; reports have the next one. */
  readonly port: number;
  /** How many of them the socket took. */
  send(packets: readonly Uint8Array[]): number;
  sendReport(report: Uint8Array): void;
  close(): void;
}

export interface UdpPeer {
  readonly address: string;
  /** Where it wants RTP. */
  readonly port: number;
  /** Something came from there. */
  readonly onSign: () => void;
}

/** `local`: the address that the player knows us by. Undefined when no neighbouring ports are free. */
export async function openUdpPorts(local: string, peer: UdpPeer): Promise<UdpPorts | undefined> {
  const open = (port: number) => bind(local, port, peer);
  const pair = await findNeighbours(open, (socket) => socket.port);
  if (!pair) return undefined;
  const [rtp, rtcp] = pair;
  return {
    port: rtp.port,
    send(packets) {
      const list = packets.flatMap((packet) => [packet, peer.port, peer.address]);
      return attempt(() => rtp.sendMany(list), packets.length);
    },
    sendReport: (report) => void attempt(() => Number(rtcp.send(report, peer.port + 1, peer.address)), 1),
    close() {
      rtp.close();
      rtcp.close();
    },
  };
}

async function bind(
  local: string,
  port: number,
  { address, onSign }: UdpPeer,
): Promise<udp.Socket<'buffer'> | undefined> {
  try {
    return await Bun.udpSocket({
      hostname: local,
      port,
      socket: {
        data(_socket, _data, _port, from) {
          if (plainAddress(from) === address) onSign();
        },
        // That nobody listens there any more: the session's time runs out by itself.
        error() {},
      },
    });
  } catch {
    return undefined;
  }
}

/** What an unreachable network refuses is lost, as packets are; trying again would only repeat it. */
function attempt(send: () => number, otherwise: number): number {
  try {
    return send();
  } catch {
    return otherwise;
  }
}
