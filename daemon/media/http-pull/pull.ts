/** Fetches a stream over HTTP: a transport stream without end, or an HLS playlist; what comes tells which. */
import { broken, FetchFailure, hostOf } from '../fetch-failure.ts';
import type { TsPacer } from '../mpegts/pacer.ts';
import type { EngineOutgoing } from '../outgoing.ts';
import { gatherBody, HttpGetter } from './get.ts';
import { followHls, type HlsSink } from './hls.ts';
import { isPlaylist, playlistLimits } from './playlist.ts';

export interface HttpPullOptions {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly outgoing: EngineOutgoing;
  readonly pacer: TsPacer;
  readonly signal: AbortSignal;
  /** The server answered well. */
  readonly onConnected: (kind: 'ts' | 'hls') => void;
  readonly answerMs?: number;
  readonly pauseMs?: number;
}

/** Enough to tell a playlist from packets. */
const kindBytes = 16;
/** HLS brings so many segments before they are due, */
const heldSegments = 5;
/** and the next one is late when fewer are in hand. */
const keptSegments = 2;

/** Runs until the stream ends or the signal stops it. Rejects with a FetchFailure, stopped or not. */
export async function pullHttp(options: HttpPullOptions): Promise<never> {
  const { pacer, signal } = options;
  try {
    return await follow(options);
  } catch (error) {
    if (signal.aborted) throw broken('closedByPeer', 'stopped');
    // What was brought already is still shown.
    if (error instanceof FetchFailure) await pacer.drained();
    throw error;
  }
}

async function follow(options: HttpPullOptions): Promise<never> {
  const { url, pacer, signal, onConnected } = options;
  const get = new HttpGetter(options);
  const { url: found, body } = await get.get(url, {});
  const first = await firstBytes(body);
  if (isPlaylist(first)) {
    const rest = await gatherBody(body, playlistLimits.bytes);
    onConnected('hls');
    const text = Buffer.concat([first, rest]).toString('utf8');
    return await followHls(url, { url: found, text }, { get, signal, sink: sinkOf(pacer) });
  }
  onConnected('ts');
  pacer.write(first);
  for await (const bytes of body) {
    pacer.write(bytes);
    await pacer.room();
  }
  throw broken('closedByPeer', `${hostOf(url)} ended the stream`);
}

async function firstBytes(body: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let bytes: Uint8Array = new Uint8Array(0);
  while (bytes.length < kindBytes) {
    const { done, value } = await body.next();
    if (done) break;
    bytes = bytes.length > 0 ? Buffer.concat([bytes, value]) : value;
  }
  return bytes;
}

function sinkOf(pacer: TsPacer): HlsSink {
  return {
    async write(bytes) {
      pacer.write(bytes);
      await pacer.room();
    },
    expectSegments(ms) {
      pacer.capacityMs = Math.max(pacer.capacityMs, heldSegments * ms);
      pacer.keepMs = Math.max(pacer.keepMs, keptSegments * ms);
    },
    drained: () => pacer.drained(),
  };
}
