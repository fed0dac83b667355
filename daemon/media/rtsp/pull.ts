/**
 * Fetches an RTSP stream as a transport stream: the session with the server is ours, FFmpeg only takes the packets apart
 * and wraps them anew. It gets them over loopback and delivers over a unix socket that the launcher connects.
 */

import { unlinkSync } from 'node:fs';
import { connectionStates } from '../../contract/streams.ts';
import { timing } from '../../timing.ts';
import { broken, failure } from '../fetch-failure.ts';
import { type FfmpegProcess, startFfmpeg } from '../ffmpeg/process.ts';
import type { Credentials } from '../http-auth.ts';
import type { EngineOutgoing } from '../outgoing.ts';
import type { DatagramReport } from '../status.ts';
import { maxUnsentBytes, openRtspRelay, packetOverheadBytes, type RtspRelay } from './relay.ts';
import { writeSdp } from './sdp.ts';
import { RtspSession, type RtspTransport, TransportFailure } from './session.ts';

export interface RtspPullOptions extends Credentials {
  readonly url: string;
  readonly outgoing: EngineOutgoing;
  readonly tcpFirst: boolean;
  /** How long packets of UDP may be out of order. */
  readonly bufferMs: number;
  readonly ffmpeg: string;
  /** The unix socket over which FFmpeg delivers, used by this process only. */
  readonly outputPath: string;
  readonly signal: AbortSignal;
  /** `packets`: how they come in, from now on. */
  readonly onConnected: (packets: () => DatagramReport | undefined) => void;
  readonly onBytes: (bytes: Uint8Array) => void;
}

const { stalledMs, firstOutputMs, stuckMs } = timing.rtspPull;
const watchMs = 500;
/**
 * Over TCP, FFmpeg ignores max_delay: it waits for a lost packet until this many later packets have come from the
 * relay. With 500 packets, lost audio held up both audio and video for 11 s.
 */
const reorderPackets = 16;

/** Runs until the stream ends or the signal stops it. Rejects with a FetchFailure, stopped or not. */
export async function pullRtsp(options: RtspPullOptions): Promise<never> {
  const order: readonly RtspTransport[] = options.tcpFirst ? ['tcp', 'udp'] : ['udp', 'tcp'];
  let left = order;
  for (;;) {
    try {
      await play(options, left);
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      left = order.slice(order.indexOf(error.transport) + 1);
      if (left.length === 0) throw error;
    }
  }
}

async function play(options: RtspPullOptions, transports: readonly RtspTransport[]): Promise<never> {
  const handover = new Handover();
  const opening = RtspSession.open({
    ...options,
    signal: AbortSignal.any([options.signal, handover.signal]),
    transports,
    answerMs: timing.rtspPull.answerMs,
    firstPacketMs: { udp: timing.rtspPull.firstUdpPacketMs, tcp: timing.rtspPull.firstTcpPacketMs },
    onPacket: (channel, payload) => handover.give(channel, payload),
  });
  const session = await Promise.race([handover.failed, opening]);
  let output: Output | undefined;
  let relay: RtspRelay | undefined;
  let child: FfmpegProcess | undefined;
  try {
    output = listen(options);
    const media = session.tracks.map((track, n) => ({ lines: track.media.lines, control: `track${n}` }));
    relay = openRtspRelay({
      sdp: writeSdp(session.sdp.session, media),
      rtpInfo: session.rtpInfo,
      onPacket: (channel, payload) => session.send(channel, payload),
    });
    handover.to(relay);
    options.onConnected(() => session.packets);
    child = startRewrap(options, relay.url);
    return await endOf({ session, child, output, handover, signal: options.signal });
  } finally {
    session.close();
    relay?.close();
    output?.close();
    void child?.stop();
  }
}

/** Takes packets from the session to FFmpeg; keeps those that come before the relay is there. */
class Handover {
  private readonly overrun = Promise.withResolvers<never>();
  private readonly over = new AbortController();
  private early: { channel: number; payload: Uint8Array }[] = [];
  private earlyBytes = 0;
  private relay: RtspRelay | undefined;

  /** Rejects when the server sends more than can be buffered. */
  get failed(): Promise<never> {
    return this.overrun.promise;
  }

  /** Aborts when the server sends more before the stream plays than can be buffered. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  give(channel: number, payload: Uint8Array): void {
    if (!this.relay) this.keep(channel, payload);
    else if (!this.relay.write(channel, payload)) {
      this.overrun.reject(failure(connectionStates.failed, 'internal', 'FFmpeg is too slow for the stream'));
    }
  }

  /** A server may send any amount of media before it answers PLAY, so the buffer has a bound. */
  private keep(channel: number, payload: Uint8Array): void {
    if (this.over.signal.aborted) return;
    this.earlyBytes += payload.length + packetOverheadBytes;
    if (this.earlyBytes <= maxUnsentBytes) {
      this.early.push({ channel, payload: new Uint8Array(payload) });
      return;
    }
    const text = `the server sent more than ${maxUnsentBytes >> 20} MB before it answered PLAY`;
    this.overrun.reject(failure(connectionStates.streamFailed, 'badInput', text));
    this.early = [];
    this.over.abort();
  }

  to(relay: RtspRelay): void {
    this.relay = relay;
    for (const { channel, payload } of this.early.splice(0)) relay.write(channel, payload);
  }
}

interface Parts {
  readonly session: RtspSession;
  readonly child: FfmpegProcess;
  readonly output: Output;
  readonly handover: Handover;
  readonly signal: AbortSignal;
}

/** Rejects with the cause when the first of the parts ends, or nothing moves any more. */
async function endOf({ session, child, output, handover, signal }: Parts): Promise<never> {
  const end = Promise.withResolvers<never>();
  const badInput = (text: string) => failure(connectionStates.streamFailed, 'badInput', text);
  void child.exited.then(() => end.reject(badInput(`FFmpeg: ${lastWord(child)}`)));
  session.closed.then(end.reject).catch(end.reject);
  handover.failed.catch(end.reject);
  const stop = () => end.reject(broken('closedByPeer', 'stopped'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - session.packetAt > stalledMs) end.reject(broken('stalled', `no packet came for ${stalledMs / 1000} s`));
    if (output.bytes > 0 && session.packetAt - output.at > stuckMs) {
      child.kill();
      end.reject(failure(connectionStates.failed, 'internal', `FFmpeg made nothing for ${stuckMs / 1000} s`));
    }
    const isFruitless = output.bytes === 0 && now - startedAt > firstOutputMs;
    if (isFruitless) end.reject(badInput(`FFmpeg made nothing of it: ${lastWord(child)}`));
  }, watchMs);
  try {
    return await end.promise;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
  }
}

function startRewrap({ ffmpeg, outputPath, bufferMs }: RtspPullOptions, url: string): FfmpegProcess {
  return startFfmpeg({
    binary: ffmpeg,
    name: 'rtsp input',
    rights: { connect: [outputPath], sockets: 'tcp', tcpPort: Number(new URL(url).port) },
    args: [
      ...['-fflags', '+nobuffer+genpts', '-analyzeduration', '1000000', '-probesize', '1000000'],
      // What came over UDP isn't in order yet when it gets here.
      ...['-rtsp_transport', 'tcp', '-reorder_queue_size', String(reorderPackets)],
      ...['-max_delay', String(bufferMs * 1000), '-protocol_whitelist', 'rtsp,rtp,tcp,udp', '-i', url],
      ...['-map', '0:v?', '-map', '0:a?', '-c', 'copy'],
      // The parameter sets may stand in the session description only.
      ...['-bsf:v', 'dump_extra=freq=keyframe'],
      ...['-muxdelay', '0', '-muxpreload', '0', '-flush_packets', '1'],
      ...['-mpegts_flags', '+resend_headers+pat_pmt_at_frames', '-f', 'mpegts', '-y', 'pipe:3'],
    ],
  });
}

interface Output {
  readonly bytes: number;
  /** When the newest of them came, as `performance.now()`. */
  readonly at: number;
  close(): void;
}

function listen({ outputPath, onBytes }: RtspPullOptions): Output {
  let count = 0;
  let at = 0;
  removeFile(outputPath);
  const listener = Bun.listen<undefined>({
    unix: outputPath,
    socket: {
      binaryType: 'buffer',
      data(_, bytes) {
        count += bytes.length;
        at = performance.now();
        onBytes(bytes);
      },
      error: () => {},
    },
  });
  return {
    get bytes() {
      return count;
    },
    get at() {
      return at;
    },
    close() {
      listener.stop(true);
      removeFile(outputPath);
    },
  };
}

function lastWord(process: FfmpegProcess): string {
  const { lines } = process.log();
  return lines.findLast(({ level }) => level === 'error' || level === 'fatal')?.text ?? 'it ended without a word';
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It wasn't there.
  }
}
