/**
 * Thumbnails of channels and of the inputs of channels with a backup, made while the hub requests them: one FFmpeg
 * process per picture for any number of viewers, sixteen at a time, the rest in turn. Failures here affect no channel:
 * the buses are only read.
 */
import { shareTurns } from '../../lib/turns.ts';
import { timing } from '../../timing.ts';
import { type ChannelPictures, startChannelPictures } from './channel-pictures.ts';
import type { PictureSource } from './key-picture.ts';

export interface NumberedPicture {
  readonly name: string;
  /** Increases over all pictures. */
  readonly number: number;
  readonly jpeg: Buffer;
}

export type Previews = ReturnType<typeof createPreviews>;

interface PreviewsOptions {
  /** Returns undefined while FFmpeg is unavailable. */
  readonly ffmpeg: () => string | undefined;
  readonly source: (name: string) => PictureSource | undefined;
}

interface Watched {
  lookedAt: number;
  /** When its turn began, or when it began to wait for one. */
  since: number;
  turn: ChannelPictures | undefined;
  picture: NumberedPicture | undefined;
}

const maxAtOnce = 16;
const tickMs = 200;
/** Limit of one reply; the rest comes with the next. */
const maxAnswerBytes = 1 << 20;

export function createPreviews({ ffmpeg, source }: PreviewsOptions) {
  const watched = new Map<string, Watched>();
  let timer: Timer | undefined;
  // Higher than all numbers of an earlier engine process, so that a hub that keeps requesting misses none.
  let lastNumber = Date.now();

  function begin(name: string, one: Watched, nowMs: number): void {
    const binary = ffmpeg();
    if (binary === undefined) return;
    one.since = nowMs;
    one.turn = startChannelPictures({
      binary,
      source: () => source(name),
      onPicture(jpeg) {
        one.picture = { name, number: ++lastNumber, jpeg };
      },
    });
  }

  function end(one: Watched, nowMs: number): void {
    one.turn?.close();
    one.turn = undefined;
    one.since = nowMs;
  }

  function forgetUnseen(nowMs: number): void {
    for (const [name, one] of watched) {
      if (nowMs - one.lookedAt <= timing.preview.lingerMs && source(name) !== undefined) continue;
      end(one, nowMs);
      watched.delete(name);
    }
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** A turn ends with a picture if others wait. */
  function giveTurns(nowMs: number): void {
    const all = [...watched].map(([name, one]) => ({
      ...{ name, one, since: one.since, hasTurn: one.turn !== undefined },
      isDone: (one.turn?.count ?? 0) > 0 || nowMs - one.since > timing.preview.emptyTurnMs,
    }));
    const { ending, beginning } = shareTurns(all, maxAtOnce);
    for (const { one } of ending) end(one, nowMs);
    for (const { name, one } of beginning) begin(name, one, nowMs);
  }

  function tick(): void {
    const nowMs = performance.now();
    forgetUnseen(nowMs);
    giveTurns(nowMs);
    for (const { turn } of watched.values()) turn?.tick(nowMs);
  }

  return {
    /** Registers interest in these pictures. Returns those after number `after`, oldest first. */
    look(names: readonly string[], after: number): NumberedPicture[] {
      const nowMs = performance.now();
      for (const name of names) {
        const known = watched.get(name);
        if (known) known.lookedAt = nowMs;
        else if (source(name))
          watched.set(name, { lookedAt: nowMs, since: nowMs, turn: undefined, picture: undefined });
      }
      if (watched.size > 0 && timer === undefined) {
        timer = setInterval(tick, tickMs);
        tick();
      }
      const fresh = names
        .flatMap((name) => watched.get(name)?.picture ?? [])
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
