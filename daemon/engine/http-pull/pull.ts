/** Pulls a stream over HTTP: an endless transport stream or an HLS playlist, depending on the content. */
import type { HttpStream } from '../../sources/stream-address.ts';
import { broken, FetchFailure, hostOf } from '../connection/fetch-failure.ts';
import type { TsPacer } from '../mpegts/pacer.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { gatherBody, HttpGetter } from './get.ts';
import { followHls, type HlsSink } from './hls.ts';
import { isPlaylist, playlistLimits } from './playlist.ts';

export interface HttpPullOptions extends Pick<HttpStream, 'url' | 'username' | 'password'> {
  readonly outgoing: EngineOutgoing;
  readonly pacer: TsPacer;
  readonly signal: AbortSignal;
  /** The server has sent a successful response. */
  readonly onConnected: (kind: 'ts' | 'hls') => void;
  readonly answerMs?: number;
  readonly pauseMs?: number;
}

/** Enough to distinguish a playlist from packets. */
const kindBytes = 16;
/** HLS delivers this many segments before they are due. */
const heldSegments = 5;
/** The next segment is late if fewer than this many are buffered. */
const keptSegments = 2;

/** Runs until the stream ends or the signal stops it. Always rejects with a FetchFailure, even when stopped. */
export async function pullHttp(options: HttpPullOptions): Promise<never> {
  const { pacer, signal } = options;
  try {
    return await follow(options);
  } catch (error) {
    if (signal.aborted) throw broken('closedByPeer', 'stopped');
    // Media that has arrived is still shown.
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
