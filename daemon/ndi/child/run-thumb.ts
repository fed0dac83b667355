import { timing } from '../../timing.ts';
import { openHubChannel } from './hub-channel.ts';
import { loadAndGreet } from './load.ts';
import { ThumbChild } from './thumb-child.ts';

/** Returns the exit code when the hub ends or closes the channel. */
export async function runThumbChild(path: string): Promise<number> {
  const channel = openHubChannel();
  const library = loadAndGreet(path, channel);
  const thumbs =
    library?.receive && new ThumbChild({ receive: library.receive, timing: timing.ndiThumbnails, send: channel.send });
  if (thumbs) channel.onMessage((message) => thumbs.receive(message));
  await channel.closed;
  thumbs?.close();
  return 0;
}
