import { expect, test } from 'bun:test';
import { connectionStates } from '../../contract/streams.ts';
import { noResponse, RtmpFailure, type RtmpStage, rtmpTermination } from './client-failure.ts';

test.each<[RtmpStage, keyof typeof connectionStates, string]>([
  ['dns', 'dnsFailed', 'dnsFailed'],
  ['tcp', 'tcpFailed', 'unreachable'],
  ['tls', 'handshakeFailed', 'timeout'],
  ['handshake', 'handshakeFailed', 'timeout'],
  ['connect', 'handshakeFailed', 'timeout'],
  ['publish', 'streamFailed', 'timeout'],
  ['play', 'streamFailed', 'timeout'],
])('a timeout in the stage %s is not a refusal', (stage, conn, reason) => {
  expect(rtmpTermination(noResponse(stage))).toMatchObject({ conn: connectionStates[conn], reason, permanent: false });
});

test('a negative answer of the server is a refusal', () => {
  const end = rtmpTermination(new RtmpFailure('connect', 'no such application', { permanent: true }));
  expect(end).toMatchObject({ conn: connectionStates.refused, reason: 'refused', permanent: true });
});
