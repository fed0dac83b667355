/** Opens inputs and outputs by their protocol. A new protocol needs its address, its folder and its cases here. */

import type { OutputTarget } from '../sources/stream-address.ts';
import type { Adapters } from './adapters.ts';
import type { Channel } from './channel/channel.ts';
import type { InputAttempt } from './channel/input.ts';
import type { PlannedFetch } from './channel/input-sharing.ts';
import type { Attempt, AttemptEvents } from './connection/connection.ts';
import { openFailover } from './failover/failover.ts';
import { openHttpInput } from './http-pull/input.ts';
import { openNdiInput } from './ndi/input.ts';
import { openNdiOutput } from './ndi/output.ts';
import { openRtmpInput } from './rtmp/input.ts';
import { openRtmpOutput } from './rtmp/output.ts';
import { openRtspInput } from './rtsp/input.ts';
import { openRtspOutput } from './rtsp-server/output.ts';
import { openSharedInput } from './shared-input.ts';
import { openSrtInput } from './srt/input.ts';
import { openSrtOutput } from './srt/output.ts';
import { openUdpInput } from './udp/input.ts';
import { openUdpOutput } from './udp/output.ts';

export function openInput(
  { udp, srt, outgoing, ndi, tools, sourceChannel }: Adapters,
  channel: Channel,
  source: PlannedFetch,
  events: AttemptEvents,
): InputAttempt {
  switch (source.protocol) {
    case 'udp':
    case 'rtp':
      return openUdpInput(udp.inputs, source, channel, events);
    case 'srt':
      return openSrtInput(srt, source, channel, events);
    case 'rtmp':
      return openRtmpInput(outgoing, source, channel, events);
    case 'rtsp':
      return openRtspInput(outgoing, source, channel, events);
    case 'http':
      return openHttpInput(outgoing, source, channel, events);
    case 'ndi':
      return openNdiInput(ndi, source, channel, events);
    case 'shared':
      return openSharedInput(sourceChannel(source.sourceChannel), channel, events);
    case 'failover':
      return openFailover({
        ...{ channel, events, rule: source.rule, tools },
        sources: { main: sourceChannel(source.main), backup: sourceChannel(source.backup) },
      });
  }
}

export function openOutput(
  { udp, srt, outgoing, rtsp, ndi }: Adapters,
  channel: Channel,
  outputId: number,
  target: OutputTarget,
  events: AttemptEvents,
): Attempt {
  switch (target.protocol) {
    case 'udp':
    case 'rtp':
      return openUdpOutput(udp.outputs, target, channel, events);
    case 'srt':
      return openSrtOutput(srt, target, channel, events, outputId);
    case 'rtmp':
      return openRtmpOutput(outgoing, target, channel, events);
    case 'rtsp':
      return openRtspOutput(rtsp, target, channel, events, outputId);
    case 'ndi':
      return openNdiOutput(ndi, target, channel, events);
  }
}
