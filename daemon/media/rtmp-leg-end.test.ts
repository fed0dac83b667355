import { expect, test } from 'bun:test';
import { connectionStates } from '../contract/streams.ts';
import { noAnswer, RtmpFailure, type RtmpStage } from './rtmp/client-failure.ts';
import { rtmpLegEnd } from './rtmp-leg-end.ts';

test.each<[RtmpStage, keyof typeof connectionStates, string]>([
  ['dns', 'dnsFailed', 'dnsFailed'],
  ['tcp', 'tcpFailed', 'unreachable'],
  ['tls', 'handshakeFailed', 'timeout'],
  ['handshake', 'handshakeFailed', 'timeout'],
  ['connect', 'handshakeFailed', 'timeout'],
  ['publish', 'streamFailed', 'timeout'],
  ['play', 'streamFailed', 'timeout'],
])('silence in the stage %s is no refusal', (stage, conn, reason) => {
  expect(rtmpLegEnd(noAnswer(stage))).toMatchObject({ conn: connectionStates[conn], reason, hopeless: false });
});

test('what the server says no to is one', () => {
  const end = rtmpLegEnd(new RtmpFailure('connect', 'no such application', { permanent: true }));
  expect(end).toMatchObject({ conn: connectionStates.refused, reason: 'refused', hopeless: true });
});
