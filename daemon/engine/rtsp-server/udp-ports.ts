/** The sockets of one track: RTP uses the even port, reports the odd one (RFC 3550, section 11). */
import type { udp } from 'bun';
import { plainAddress } from '../../lib/local-network.ts';
import { findNeighbours } from '../rtsp/udp-pair.ts';

export type UdpPorts = NonNullable<Awaited<ReturnType<typeof openUdpPorts>>>;

interface UdpPeer {
  readonly address: string;
  /** The peer's RTP port. */
  readonly port: number;
  /** Called when a datagram from there has arrived. */
  readonly onSign: () => void;
}

/** `local`: our address as the player knows it. Returns undefined if no pair of adjacent ports is free. */
export async function openUdpPorts(local: string, peer: UdpPeer) {
  const open = (port: number) => bind(local, port, peer);
  const pair = await findNeighbours(open, (socket) => socket.port);
  if (!pair) return undefined;
  const [rtp, rtcp] = pair;
  return {
    /** RTP port; reports use the next one. */
    port: rtp.port,
    /** Returns how many packets the socket accepted. */
    send(packets: readonly Uint8Array[]): number {
      const list = packets.flatMap((packet) => [packet, peer.port, peer.address]);
      return attempt(() => rtp.sendMany(list), packets.length);
    },
    sendReport: (report: Uint8Array) => void attempt(() => Number(rtcp.send(report, peer.port + 1, peer.address)), 1),
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
        // Port unreachable: the session times out by itself.
        error() {},
      },
    });
  } catch {
    return undefined;
  }
}

/** Packets that an unreachable network refuses count as lost; retrying would fail again. */
function attempt(send: () => number, otherwise: number): number {
  try {
    return send();
  } catch {
    return otherwise;
  }
}
