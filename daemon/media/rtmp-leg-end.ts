/** What the end of a connection to another RTMP server means for its leg. */
import { connectionStates } from '../contract/streams.ts';
import type { LegEnd } from './leg.ts';
import type { RtmpFailure, RtmpStage } from './rtmp/client-failure.ts';
import type { LegReason } from './status.ts';

const stages: Readonly<Record<RtmpStage, { readonly conn: number; readonly reason: LegReason }>> = {
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

/** Without an answer to `connect` nothing was refused. */
const unanswered: Partial<Readonly<Record<RtmpStage, number>>> = {
  connect: connectionStates.handshakeFailed,
  auth: connectionStates.handshakeFailed,
};

export function rtmpLegEnd({ stage, message, permanent, detail }: RtmpFailure): LegEnd {
  const { conn: usual, reason } = stages[stage];
  const conn = (detail === 'timeout' ? unanswered[stage] : undefined) ?? usual;
  return { conn, reason: detail ?? reason, hopeless: permanent, text: `${stage}: ${message}` };
}
