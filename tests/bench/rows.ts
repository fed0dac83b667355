/** The comparisons and their targets. */
import type { RowId } from './options.ts';
import { ffmpegAcross, ffmpegOneProcess, ffmpegOverRtsp, ffmpegPerOutput } from './subjects/ffmpeg.ts';
import { gstreamerSrt, gstreamerUdp } from './subjects/gstreamer.ts';
import { nginxHls, nginxRtmp } from './subjects/nginx-rtmp.ts';
import {
  type HubOfRow,
  signalboxAcross,
  signalboxOverRtsp,
  signalboxToHttp,
  signalboxToPlayers,
  signalboxToUdp,
} from './subjects/signalbox.ts';
import { srtLiveTransmit } from './subjects/srt-live-transmit.ts';
import type { Subject } from './subjects/subject.ts';

/** Protocol hops with their own delay, which is measured without a relay and subtracted from the latency. */
export type Hop = 'srt' | 'udp';

export interface Row {
  readonly id: string;
  readonly group: RowId;
  readonly title: string;
  readonly hops: readonly Hop[];
  readonly ours: (hub: HubOfRow) => Subject;
  /** The first is the yardstick. */
  readonly peers: readonly { readonly subject: Subject; readonly maxReaders: number; readonly quickReaders?: number }[];
  /** Replaces the requested numbers: the whole row, or its quick form. The last is judged. */
  readonly readers?: readonly number[];
  readonly quickReaders?: readonly number[];
  /** Replaces the usual time of a full run before the measurement, for a stream that the engine handles rarely. */
  readonly warmUpMs?: number;
  /** Replaces the usual time of a full run between the first media of all readers and the measurement. */
  readonly settleMs?: number;
  readonly targets: {
    /** CPU at the judged number of readers, as a multiple of the yardstick's. */
    readonly cpuRatio?: { readonly must: number };
    /** The same at another number. */
    readonly atMost?: { readonly must: number; readonly readers: number };
    /** CPU for each reader beyond the judged number, as a multiple of the yardstick's. */
    readonly perFurther?: number;
    readonly p99Ms?: number;
    readonly p50Ms?: number;
  };
}

/** Readers at which CPU and latency are judged. */
export const judgedReaders = (row: Row): number => row.readers?.at(-1) ?? 16;

const p99Ms = 15;

export const rows: readonly Row[] = [
  {
    id: 'rtmp',
    group: 'rtmp',
    title: 'RTMP in, n RTMP players',
    hops: [],
    ours: (hub) => signalboxToPlayers(hub, 'rtmp'),
    peers: [{ subject: nginxRtmp, maxReaders: 64 }],
    // The engine is woken once a second. Its code is therefore compiled later than with other streams, and the cost of
    // opening 16 players is spread over several seconds.
    warmUpMs: 30_000,
    settleMs: 15_000,
    targets: { cpuRatio: { must: 2 }, atMost: { must: 1.5, readers: 64 }, perFurther: 1.3, p99Ms, p50Ms: 5 },
  },
  {
    id: 'srt',
    group: 'srt',
    title: 'SRT in, n SRT clients',
    hops: ['srt', 'srt'],
    ours: (hub) => signalboxToPlayers(hub, 'srt'),
    peers: [
      { subject: ffmpegPerOutput(), maxReaders: 64 },
      { subject: gstreamerSrt, maxReaders: 64, quickReaders: 0 },
      { subject: srtLiveTransmit, maxReaders: 16, quickReaders: 1 },
    ],
    targets: { cpuRatio: { must: 0.45 }, p99Ms, p50Ms: 5 },
  },
  {
    id: 'srt-to-udp',
    group: 'udp',
    title: 'SRT in, n UDP outputs',
    hops: ['srt'],
    quickReaders: [16],
    ours: (hub) => signalboxToUdp(hub, 'srt', 'udp'),
    peers: [{ subject: ffmpegOneProcess('srt'), maxReaders: 64 }],
    targets: { cpuRatio: { must: 1 }, p99Ms, p50Ms: 5 },
  },
  {
    id: 'udp-to-udp',
    group: 'udp',
    title: 'UDP in, n UDP outputs',
    hops: ['udp'],
    quickReaders: [16],
    ours: (hub) => signalboxToUdp(hub, 'udp', 'udp'),
    peers: [
      { subject: ffmpegOneProcess('udp'), maxReaders: 64 },
      { subject: gstreamerUdp, maxReaders: 64, quickReaders: 0 },
    ],
    targets: { cpuRatio: { must: 0.5 }, p99Ms, p50Ms: 1 },
  },
  {
    id: 'udp-to-rtp',
    group: 'rtp',
    title: 'UDP in, n RTP outputs',
    hops: ['udp'],
    quickReaders: [16],
    ours: (hub) => signalboxToUdp(hub, 'udp', 'rtp'),
    // Over UDP: with UDP input, FFmpeg's RTP outputs send nothing. It does not have to write RTP headers.
    peers: [{ subject: ffmpegOneProcess('udp'), maxReaders: 64 }],
    targets: { cpuRatio: { must: 0.5 }, p99Ms, p50Ms: 1 },
  },
  {
    id: 'rtmp-to-srt',
    group: 'across',
    title: 'RTMP in, one SRT client',
    hops: ['srt'],
    readers: [1],
    ours: (hub) => signalboxAcross(hub),
    peers: [{ subject: ffmpegAcross, maxReaders: 1 }],
    targets: { p99Ms, p50Ms: 5 },
  },
  {
    id: 'rtsp-to-srt',
    group: 'rtsp',
    title: 'RTMP in, RTSP to another channel, one SRT client',
    hops: ['srt'],
    readers: [1],
    ours: (hub) => signalboxOverRtsp(hub, 'srt'),
    peers: [{ subject: ffmpegOverRtsp, maxReaders: 1 }],
    targets: { p99Ms, p50Ms: 5 },
  },
  {
    id: 'rtsp-to-rtmp',
    group: 'rtsp',
    title: 'RTMP in, RTSP to another channel, one RTMP player',
    hops: [],
    readers: [1],
    ours: (hub) => signalboxOverRtsp(hub, 'rtmp'),
    peers: [],
    targets: { p99Ms, p50Ms: 5 },
  },
  {
    id: 'hls',
    group: 'hls',
    title: 'RTMP in, n HLS viewers',
    hops: [],
    quickReaders: [16],
    ours: (hub) => signalboxToHttp(hub, 'hls'),
    peers: [{ subject: nginxHls, maxReaders: 64 }],
    // Segments of 2 s: a viewer's delay is due to the protocol.
    targets: {},
  },
];
