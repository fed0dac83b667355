/** Keeps a channel's slate at hand: encoded when its look is known, shown while it is wanted. */
import type { Log } from '../../lib/log.ts';
import { createBackoff } from '../backoff.ts';
import type { FlvMessage } from '../flv/flv-bus.ts';
import type { FfmpegTools } from '../rtsp-input.ts';
import type { MediaStatus } from '../status.ts';
import type { SlateWanted } from '../wanted.ts';
import { encodeSlate, playSlate, type SlateClip, type SlateLook, slateLook } from './slate.ts';

export interface SlatePlayer {
  readonly isReady: boolean;
  /** Makes it look like this stream; without one, only when there is `noHope` of ever seeing one. */
  prepare(media: MediaStatus | undefined, noHope: boolean): void;
  play(): void;
  stop(): void;
  close(): void;
}

const never: SlatePlayer = {
  isReady: false,
  ...{ prepare: () => undefined, play: () => undefined, stop: () => undefined, close: () => undefined },
};

export function createSlatePlayer(
  slate: SlateWanted,
  tools: Pick<FfmpegTools, 'ffmpeg'>,
  log: Log,
  emit: (messages: readonly FlvMessage[]) => void,
): SlatePlayer {
  if (slate.kind === 'none') return never;
  const aborter = new AbortController();
  let clip: SlateClip | undefined;
  /** What the clip looks like, or the one that is being made. */
  let look = '';
  let isMaking = false;
  /** A picture that is wrong stays wrong; a machine that was too busy is not so for ever. */
  const backoff = createBackoff();
  let notBefore = 0;
  let lastCause = '';
  let end: (() => void) | undefined;

  async function make(ffmpeg: string, wanted: SlateLook): Promise<void> {
    isMaking = true;
    try {
      clip = await encodeSlate(ffmpeg, slate as Exclude<SlateWanted, { kind: 'none' }>, wanted, aborter.signal);
    } catch (error) {
      if (aborter.signal.aborted) return;
      const cause = (error as Error).message;
      if (cause !== lastCause) log.error('no slate', { cause });
      lastCause = cause;
      look = '';
      notBefore = performance.now() + backoff.next(false);
    } finally {
      isMaking = false;
    }
  }

  return {
    get isReady() {
      return clip !== undefined;
    },
    prepare(media, noHope) {
      // The size comes with the first pictures.
      const isKnown = media?.video === undefined ? media !== undefined : media.video.width !== undefined;
      const ffmpeg = tools.ffmpeg();
      if (isMaking || !ffmpeg || performance.now() < notBefore || (!isKnown && (clip || look || !noHope))) return;
      const wanted = slateLook(media);
      const text = JSON.stringify(wanted);
      if (text === look) return;
      look = text;
      void make(ffmpeg, wanted);
    },
    play() {
      if (clip) end ??= playSlate(clip, emit);
    },
    stop() {
      end?.();
      end = undefined;
    },
    close() {
      this.stop();
      aborter.abort();
    },
  };
}
