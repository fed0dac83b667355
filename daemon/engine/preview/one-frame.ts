/** One picture of a channel, for devices that have none of their own. */
import type { Channel } from '../channel/channel.ts';
import { startChannelPictures } from './channel-pictures.ts';

interface OneFrameOptions {
  readonly channel: Channel;
  /** Path of FFmpeg. */
  readonly binary: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const tickMs = 100;

/** Resolves with a JPEG, or undefined if there is none in time. */
export async function oneFrame({ channel, binary, timeoutMs, signal }: OneFrameOptions): Promise<Buffer | undefined> {
  const outcome = Promise.withResolvers<Buffer | undefined>();
  const giveUp = () => outcome.resolve(undefined);
  const pictures = startChannelPictures({
    binary,
    source: () => ({ shape: channel.input.current?.shape, flv: channel.flv, ts: channel.ts }),
    onPicture: outcome.resolve,
  });
  const [ticking, limit] = [setInterval(() => pictures.tick(performance.now()), tickMs), setTimeout(giveUp, timeoutMs)];
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await outcome.promise;
  } finally {
    clearInterval(ticking);
    clearTimeout(limit);
    signal.removeEventListener('abort', giveUp);
    pictures.close();
  }
}
