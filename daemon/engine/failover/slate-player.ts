/** A channel's slate: encoded once its format is known, and played on demand. */
import type { Log } from '../../lib/log.ts';
import type { SlateDesired } from '../../media/protocol/desired.ts';
import type { MediaStatus } from '../../media/protocol/reported.ts';
import { createBackoff } from '../connection/backoff.ts';
import type { FfmpegTools } from '../ffmpeg/process.ts';
import type { FlvMessage } from '../flv/flv-bus.ts';
import { encodeSlate, playSlate, type SlateClip, type SlateLook, type SlatePicture, slateLook } from './slate.ts';

export type SlatePlayer = ReturnType<typeof createSlatePlayer>;

export function createSlatePlayer(
  slate: SlateDesired,
  tools: Pick<FfmpegTools, 'ffmpeg'>,
  log: Log,
  emit: (messages: readonly FlvMessage[]) => void,
) {
  const aborter = new AbortController();
  let clip: SlateClip | undefined;
  /** Format of the clip, or of the one being encoded. */
  let look = '';
  let isMaking = false;
  /** A bad image stays bad, but a machine is not overloaded forever. */
  const backoff = createBackoff();
  let notBefore = 0;
  let lastCause = '';
  let end: (() => void) | undefined;

  async function make(ffmpeg: string, picture: SlatePicture, desired: SlateLook): Promise<void> {
    isMaking = true;
    try {
      clip = await encodeSlate(ffmpeg, picture, desired, aborter.signal);
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
    get isReady(): boolean {
      return clip !== undefined;
    },
    /** Encodes it in the format of this stream; without one, only if there is `noHope` of ever receiving one. */
    prepare(media: MediaStatus | undefined, noHope: boolean): void {
      if (slate.kind === 'none') return;
      // The size is known with the first frames.
      const isKnown = media?.video === undefined ? media !== undefined : media.video.width !== undefined;
      const ffmpeg = tools.ffmpeg();
      if (isMaking || !ffmpeg || performance.now() < notBefore || (!isKnown && (clip || look || !noHope))) return;
      const desired = slateLook(media);
      const text = JSON.stringify(desired);
      if (text === look) return;
      look = text;
      void make(ffmpeg, slate, desired);
    },
    play(): void {
      if (clip) end ??= playSlate(clip, emit);
    },
    stop(): void {
      end?.();
      end = undefined;
    },
    close(): void {
      this.stop();
      aborter.abort();
    },
  };
}
