/** Maps the failure of a connection to another RTMP server to a termination. */
import { connectionStates } from '../../contract/streams.ts';
import type { ConnectionReason } from '../../media/protocol/reported.ts';
import type { Termination } from '../connection/connection.ts';
import type { RtmpFailure, RtmpStage } from './client-failure.ts';

const stages: Readonly<Record<RtmpStage, { readonly conn: number; readonly reason: ConnectionReason }>> = {
  dns: { conn: connectionStates.dnsFailed, reason: 'dnsFailed' },
  address: { conn: connectionStates.creationFailed, reason: 'addressNotAllowed' },
  tcp: { conn: connectionStates.tcpFailed, reason: 'unreachable' },
  tls: { conn: connectionStates.handshakeFailed, reason: 'tlsFailed' },
  handshake: { conn: connectionStates.handshakeFailed, reason: 'handshakeFailed' },
  connect: { conn: connectionStates.refused, reason: 'refused' },
  auth: { conn: connectionStates.authorizationFailed, reason: 'notAuthorized' },
  publish: { conn: connectionStates.streamFailed, reason: 'streamRefused' },
  play: { conn: connectionStates.streamFailed, reason: 'streamRefused' },
  stream: { conn: connectionStates.disconnected, reason: 'closedByPeer' },
};

/** If `connect` was not answered, nothing was refused. */
const unanswered: Partial<Readonly<Record<RtmpStage, number>>> = {
  connect: connectionStates.handshakeFailed,
  auth: connectionStates.handshakeFailed,
};

export function rtmpTermination({ stage, message, permanent, detail }: RtmpFailure): Termination {
  const { conn: usual, reason } = stages[stage];
  const conn = (detail === 'timeout' ? unanswered[stage] : undefined) ?? usual;
  return { conn, reason: detail ?? reason, permanent: permanent, text: `${stage}: ${message}` };
}
