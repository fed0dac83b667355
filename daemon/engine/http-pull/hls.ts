/**
 * Follows a live HLS playlist and passes on the bytes of its segments in order. Starts three segments before the live
 * edge, as players do (RFC 8216, section 6.3.3).
 */

import { createDecipheriv } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { connectionStates } from '../../contract/streams.ts';
import { timing } from '../../timing.ts';
import { broken, FetchFailure, failure } from '../connection/fetch-failure.ts';
import type { TsPacer } from '../mpegts/pacer.ts';
import { gatherBody, type HttpGetter } from './get.ts';
import {
  addressOf,
  type MasterPlaylist,
  type MediaPlaylist,
  PlaylistError,
  parsePlaylist,
  playlistLimits,
  type Segment,
} from './playlist.ts';

/** What the pull needs of a pacer. */
export type Pacer = Pick<TsPacer, 'write' | 'room' | 'drained' | 'capacityMs' | 'keepMs'>;

interface HlsOptions {
  readonly get: HttpGetter;
  readonly signal: AbortSignal;
  readonly pacer: Pacer;
}

/** Segments arrive this many before they are due. */
const heldSegments = 5;
/** The next segment is late if fewer than this many are buffered. */
const keptSegments = 2;
const startBeforeEnd = 3;
/** Consecutive failures of the playlist, or of segments, after which the stream has failed. */
const maxFailures = 3;
/** A live playlist that is unchanged for this many target durations has ended, even if not marked as such. */
const staleTargets = 3;
const maxSegmentBytes = 512 << 20;

export class HlsFollower {
  private readonly options: HlsOptions;
  private address = '';
  private playlist: MediaPlaylist | undefined;
  private next: number | undefined;
  private loadedAt = performance.now();
  private changedAt = this.loadedAt;
  private failures = 0;
  private key: { readonly url: string; readonly bytes: Buffer } | undefined;

  constructor(options: HlsOptions) {
    this.options = options;
  }

  /** Runs until the stream ends. Throws FetchFailure, also for a playlist that is marked as ended. */
  async follow(address: string, { url, text }: { url: string; text: string }): Promise<never> {
    this.address = address;
    const playlist = parse(text, url);
    this.playlist = playlist.kind === 'master' ? await this.choose(playlist) : playlist;
    for (;;) {
      await this.playAll();
      await this.reload();
    }
  }

  /** Selects the best variant with video and audio in the same segments. */
  private async choose({ variants }: MasterPlaylist): Promise<MediaPlaylist> {
    const whole = variants.filter(({ hasSeparateAudio }) => !hasSeparateAudio);
    const [best] = whole.toSorted((a, b) => b.bandwidth - a.bandwidth);
    if (!best) {
      const text = variants.length > 0 ? 'the sound is in playlists of its own' : 'the playlist is empty';
      throw failure(connectionStates.streamFailed, 'badInput', text, { permanent: true });
    }
    this.address = best.url;
    const { url, text } = await this.options.get.text(best.url, playlistLimits.bytes);
    const media = parse(text, url);
    if (media.kind === 'master') throw failure(connectionStates.streamFailed, 'badInput', 'playlists without an end');
    return media;
  }

  private async playAll(): Promise<void> {
    const { playlist } = this;
    const { pacer } = this.options;
    if (!playlist) return;
    pacer.capacityMs = Math.max(pacer.capacityMs, heldSegments * playlist.targetMs);
    pacer.keepMs = Math.max(pacer.keepMs, keptSegments * playlist.targetMs);
    for (const segment of this.due(playlist)) {
      this.next = segment.sequence + 1;
      if (segment.isGap) continue;
      const url = valid(() => addressOf(segment));
      try {
        await this.play(segment, url);
        this.failures = 0;
      } catch (error) {
        // One segment that was removed in the meantime is a gap; several are an error.
        if (!(error instanceof FetchFailure) || ++this.failures >= maxFailures) throw error;
      }
    }
    if (!playlist.isEnded) return;
    await pacer.drained();
    throw broken('closedByPeer', 'the playlist has ended');
  }

  private due({ segments, isEnded }: MediaPlaylist): readonly Segment[] {
    if (this.next === undefined) return isEnded ? segments : segments.slice(-startBeforeEnd);
    const next = this.next;
    const last = segments.at(-1)?.sequence ?? next;
    // A restarted server counts from the beginning again.
    if (last < next - 1) return segments.slice(-startBeforeEnd);
    return segments.filter(({ sequence }) => sequence >= next);
  }

  private async play(segment: Segment, url: string): Promise<void> {
    const { get } = this.options;
    const cipher = segment.key && (await this.decipher(segment));
    const { body } = await get.get(url, segment.range);
    let size = 0;
    for await (const bytes of body) {
      size += bytes.length;
      if (size > maxSegmentBytes) throw failure(connectionStates.streamFailed, 'badInput', 'a segment without an end');
      await this.write(cipher ? cipher.update(bytes) : bytes);
    }
    if (!cipher) return;
    try {
      await this.write(cipher.final());
    } catch {
      throw failure(connectionStates.streamFailed, 'badInput', 'a segment that its key does not open');
    }
  }

  private async write(bytes: Uint8Array): Promise<void> {
    this.options.pacer.write(bytes);
    await this.options.pacer.room();
  }

  private async decipher({ key, sequence }: Segment) {
    if (!key) return undefined;
    const url = valid(() => addressOf(key));
    if (this.key?.url !== url) {
      const { body } = await this.options.get.get(url);
      this.key = { url, bytes: await gatherBody(body, 16) };
    }
    const counter = Buffer.alloc(16);
    // The number as 128 bits (RFC 8216, section 5.2); some servers count in milliseconds since 1970.
    counter.writeBigUInt64BE(BigInt(sequence), 8);
    const { bytes } = this.key;
    if (bytes.length !== 16) throw failure(connectionStates.streamFailed, 'badInput', 'the key has not 16 bytes');
    return createDecipheriv('aes-128-cbc', bytes, key.iv ?? counter);
  }

  /** Waits as long as the protocol requires, and reloads the playlist. */
  private async reload(): Promise<void> {
    const before = this.playlist;
    const targetMs = before?.targetMs ?? 1000;
    // Counted from the last load, because playing took time (section 6.3.4).
    const pauseMs = this.changedAt === this.loadedAt ? targetMs : targetMs / 2;
    await this.wait(Math.max(0, this.loadedAt + pauseMs - performance.now()));
    this.loadedAt = performance.now();
    const { url, text } = await this.readAgain();
    const playlist = parse(text, url);
    if (playlist.kind === 'master') throw failure(connectionStates.streamFailed, 'badInput', 'the playlist changed');
    const isNew = playlist.segments.at(-1)?.uri !== before?.segments.at(-1)?.uri || playlist.isEnded;
    this.playlist = playlist;
    if (isNew) this.changedAt = this.loadedAt;
    const staleMs = Math.max(timing.httpPull.staleMs, staleTargets * targetMs);
    if (this.loadedAt - this.changedAt > staleMs) throw broken('stalled', 'the playlist no longer changes');
  }

  private async wait(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.options.signal });
  }

  private async readAgain(): Promise<{ readonly url: string; readonly text: string }> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.options.get.text(this.address, playlistLimits.bytes);
      } catch (error) {
        if (!(error instanceof FetchFailure) || error.end.permanent || tries >= maxFailures) throw error;
        await this.wait(this.playlist?.targetMs ?? 1000);
      }
    }
  }
}

function parse(text: string, base: string): MediaPlaylist | MasterPlaylist {
  return valid(() => parsePlaylist(text, base));
}

/** Returns what `read` returns. Throws FetchFailure if the playlist cannot be played. */
function valid<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PlaylistError)) throw error;
    throw failure(connectionStates.streamFailed, error.isForm ? 'codecNotPossible' : 'badInput', error.message, {
      permanent: true,
    });
  }
}
