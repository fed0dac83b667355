/**
 * Thumbnails of channels, made while the hub requests them: one FFmpeg process per channel for any number of viewers,
 * sixteen channels at a time, the rest in turn. Failures here affect no channel: the buses are only read.
 */
import { timing } from '../../timing.ts';
import { type ChannelPictures, startChannelPictures } from './channel-pictures.ts';
import type { PictureSource } from './key-picture.ts';

export interface NumberedPicture {
  readonly channelId: number;
  /** Increases over all channels. */
  readonly number: number;
  readonly jpeg: Buffer;
}

export type Previews = ReturnType<typeof createPreviews>;

interface PreviewsOptions {
  /** Returns undefined while FFmpeg is unavailable. */
  readonly ffmpeg: () => string | undefined;
  readonly source: (channelId: number) => PictureSource | undefined;
}

interface Watched {
  lookedAt: number;
  /** When it began to wait for its turn. */
  waitsSince: number;
  turn: ChannelPictures | undefined;
  picture: NumberedPicture | undefined;
}

const maxAtOnce = 16;
const tickMs = 200;
/** Limit of one reply; the rest comes with the next. */
const maxAnswerBytes = 1 << 20;

export function createPreviews({ ffmpeg, source }: PreviewsOptions) {
  const watched = new Map<number, Watched>();
  let timer: Timer | undefined;
  // Higher than all numbers of an earlier engine process, so that a hub that keeps requesting misses none.
  let lastNumber = Date.now();

  function begin(channelId: number, one: Watched, nowMs: number): void {
    const binary = ffmpeg();
    if (binary === undefined) return;
    one.waitsSince = nowMs;
    one.turn = startChannelPictures({
      binary,
      source: () => source(channelId),
      onPicture(jpeg) {
        one.picture = { channelId, number: ++lastNumber, jpeg };
      },
    });
  }

  function end(one: Watched, nowMs: number): void {
    one.turn?.close();
    one.turn = undefined;
    one.waitsSince = nowMs;
  }

  function forgetUnseen(nowMs: number): void {
    for (const [channelId, one] of watched) {
      if (nowMs - one.lookedAt <= timing.preview.lingerMs && source(channelId) !== undefined) continue;
      end(one, nowMs);
      watched.delete(channelId);
    }
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** The channel that has waited longest is next. A turn ends with a picture if other channels wait. */
  function giveTurns(nowMs: number): void {
    const all = [...watched];
    const waiting = all
      .filter(([, { turn }]) => turn === undefined)
      .sort(([, a], [, b]) => a.waitsSince - b.waitsSince);
    const running = all.filter(([, { turn }]) => turn !== undefined);
    let free = maxAtOnce - running.length;
    for (const [, one] of running) {
      if (free >= waiting.length) break;
      const isDone = (one.turn?.count ?? 0) > 0 || nowMs - one.waitsSince > timing.preview.emptyTurnMs;
      if (!isDone) continue;
      end(one, nowMs);
      free++;
    }
    for (const [channelId, one] of waiting.slice(0, Math.max(0, free))) begin(channelId, one, nowMs);
  }

  function tick(): void {
    const nowMs = performance.now();
    forgetUnseen(nowMs);
    giveTurns(nowMs);
    for (const { turn } of watched.values()) turn?.tick(nowMs);
  }

  return {
    /** Registers interest in these channels. Returns the pictures after number `after`, oldest first. */
    look(channels: readonly number[], after: number): NumberedPicture[] {
      const nowMs = performance.now();
      for (const id of channels) {
        const known = watched.get(id);
        if (known) known.lookedAt = nowMs;
        else if (source(id))
          watched.set(id, { lookedAt: nowMs, waitsSince: nowMs, turn: undefined, picture: undefined });
      }
      if (watched.size > 0 && timer === undefined) {
        timer = setInterval(tick, tickMs);
        tick();
      }
      const fresh = channels
        .flatMap((id) => watched.get(id)?.picture ?? [])
        .filter(({ number }) => number > after)
        .sort((a, b) => a.number - b.number);
      let bytes = 0;
      const tooMany = fresh.findIndex(({ jpeg }) => {
        bytes += jpeg.length;
        return bytes > maxAnswerBytes;
      });
      return tooMany < 0 ? fresh : fresh.slice(0, tooMany);
    },
    close(): void {
      clearInterval(timer);
      timer = undefined;
      for (const one of watched.values()) end(one, 0);
      watched.clear();
    },
  };
}
