/**
 * Every state and reason of a connection, each produced by its real cause and checked through the API, and the recovery
 * once the cause is gone. Those that need a separate network are in cut-off-network.test.ts.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ConnectionStateName, connectionStates } from '../../daemon/contract/streams.ts';
import type { ConnectionReason } from '../../daemon/media/protocol/reported.ts';
import { proven } from './relay-rig.ts';
import { httpPullStates } from './states/http-pull.ts';
import { notAllowedStates } from './states/not-allowed.ts';
import { ownPortStates } from './states/own-ports.ts';
import { publisherStates } from './states/publishers.ts';
import { rtmpStates } from './states/rtmp.ts';
import { rtspPullStates } from './states/rtsp-pull.ts';
import { srtCallerStates } from './states/srt-callers.ts';
import { openStatesStage } from './states/stage.ts';

setDefaultTimeout(90_000);

const stage = openStatesStage();
publisherStates(stage);
rtmpStates(stage);
srtCallerStates(stage);
ownPortStates(stage);
httpPullStates(stage);
rtspPullStates(stage);
notAllowedStates(stage);

describe('together', () => {
  /** Tested in other files: no network, no names, no endpoint, no privileges. */
  const elsewhere: readonly (ConnectionStateName | ConnectionReason)[] = [
    'dnsFailed',
    'failed',
    'partMissing',
    'notPermitted',
    'replaced',
  ];
  const reasons = {
    ...{
      switchedOff: 0,
      noInput: 0,
      dnsFailed: 0,
      addressNotAllowed: 0,
      unreachable: 0,
      refused: 0,
      timeout: 0,
      tlsFailed: 0,
    },
    ...{
      handshakeFailed: 0,
      notAuthorized: 0,
      wrongPassphrase: 0,
      streamRefused: 0,
      closedByPeer: 0,
      stalled: 0,
      replaced: 0,
    },
    ...{ noData: 0, noSync: 0, noProgram: 0, badInput: 0, codecNotPossible: 0, addressInUse: 0, partMissing: 0 },
    ...{ soundLeftOut: 0, notPermitted: 0, internal: 0 },
  } satisfies Record<ConnectionReason, 0>;

  test('every state and every reason is covered by a test', () => {
    const missing = (names: string[], seen: ReadonlySet<string>) =>
      names.filter((name) => !seen.has(name) && !elsewhere.some((other) => other === name));
    expect(missing(Object.keys(connectionStates), proven.states)).toEqual([]);
    expect(missing(Object.keys(reasons), proven.reasons)).toEqual([]);
  });
});
