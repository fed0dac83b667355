/** Starts an RTSP pull as an attempt of a fetched input. */

import type { DatagramReport } from '../../media/protocol/reported.ts';
import type { RtspStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { createFetchedInput } from '../channel/fetched-input.ts';
import { stalled } from '../channel/input-ends.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { endOfFetch, hostOf } from '../connection/fetch-failure.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { pullRtsp } from './pull.ts';

export function openRtspInput(
  outgoing: EngineOutgoing,
  source: RtspStream,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  let packets: () => DatagramReport | undefined = () => undefined;
  const input = createFetchedInput({
    ...{ protocol: 'rtsp', peer: hostOf(source.url), channel, events },
    datagrams: () => packets(),
    stalled: () => input.finish(stalled),
  });
  pullRtsp({
    ...source,
    outgoing,
    signal: input.signal,
    onConnected(report) {
      packets = report;
      input.connected();
    },
    onBytes: input.receive,
  }).catch((error) => input.finish(endOfFetch(error)));
  return input.attempt;
}
