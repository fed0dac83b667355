/** A stream pulled from an RTSP server, as an attempt of a pulled input. */

import type { DatagramReport } from '../../media/protocol/reported.ts';
import type { RtspStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { openPulledTs } from '../channel/pulled-input.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { hostOf } from '../connection/fetch-failure.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { pullRtsp } from './pull.ts';

export function openRtspInput(
  outgoing: EngineOutgoing,
  source: RtspStream,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  let packets: () => DatagramReport | undefined = () => undefined;
  return openPulledTs({
    ...{ protocol: 'rtsp', peer: hostOf(source.url), channel, events },
    datagrams: () => packets(),
    pull: ({ signal, connected, receive: onBytes }) =>
      pullRtsp({
        ...{ ...source, outgoing, signal, onBytes },
        onConnected(report) {
          packets = report;
          connected();
        },
      }),
  });
}
