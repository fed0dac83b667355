/** What is compared with what, and what is asked of it. */
import type { RowId } from './options.ts';
import { ffmpegOneProcess, ffmpegPerOutput } from './subjects/ffmpeg.ts';
import { nginxRtmp } from './subjects/nginx-rtmp.ts';
import { type HubOfRow, signalboxToPlayers, signalboxToUdp } from './subjects/signalbox.ts';
import { srtLiveTransmit } from './subjects/srt-live-transmit.ts';
import type { Subject } from './subjects/subject.ts';

/** Protocol hops that delay by themselves, measured without a relay and taken off the latency. */
export type Hop = 'srt' | 'udp';

export interface Row {
  readonly id: string;
  readonly group: RowId;
  readonly title: string;
  readonly hops: readonly Hop[];
  readonly ours: (hub: HubOfRow) => Subject;
  /** The first is the yardstick. */
  readonly peers: readonly { readonly subject: Subject; readonly maxReaders: number; readonly quickReaders?: number }[];
  readonly targets: {
    /** CPU at 16 readers, as a multiple of the yardstick's. */
    readonly cpuRatio: { readonly must: number; readonly aim?: number };
    readonly p99Ms?: number;
    readonly p50Ms: number;
  };
}

/** Readers at which CPU is judged. */
export const judgedReaders = 16;

export const rows: readonly Row[] = [
  {
    id: 'rtmp',
    group: 'rtmp',
    title: 'RTMP in, n RTMP players',
    hops: [],
    ours: (hub) => signalboxToPlayers(hub, 'rtmp'),
    peers: [{ subject: nginxRtmp, maxReaders: 64 }],
    targets: { cpuRatio: { must: 3, aim: 2 }, p99Ms: 5, p50Ms: 5 },
  },
  {
    id: 'srt',
    group: 'srt',
    title: 'SRT in, n SRT clients',
    hops: ['srt', 'srt'],
    ours: (hub) => signalboxToPlayers(hub, 'srt'),
    peers: [
      { subject: ffmpegPerOutput(), maxReaders: 64 },
      { subject: srtLiveTransmit, maxReaders: 16, quickReaders: 1 },
    ],
    targets: { cpuRatio: { must: 0.6 }, p50Ms: 5 },
  },
  {
    id: 'srt-to-udp',
    group: 'udp',
    title: 'SRT in, n UDP outputs',
    hops: ['srt'],
    ours: (hub) => signalboxToUdp(hub, 'srt'),
    peers: [{ subject: ffmpegOneProcess('srt'), maxReaders: 64 }],
    targets: { cpuRatio: { must: 1 }, p50Ms: 5 },
  },
  {
    id: 'udp-to-udp',
    group: 'udp',
    title: 'UDP in, n UDP outputs',
    hops: ['udp'],
    ours: (hub) => signalboxToUdp(hub, 'udp'),
    peers: [{ subject: ffmpegOneProcess('udp'), maxReaders: 64 }],
    targets: { cpuRatio: { must: 1 }, p50Ms: 5 },
  },
];
