/** Offers a source in a separate process, and reads its frames from standard input, the pipe from FFmpeg. */
import { Sender } from '../../../native/ndi/sender.ts';
import { MatroskaReader } from '../media/matroska-reader.ts';
import type { ChildMessage } from '../messages.ts';
import { openHubChannel } from './hub-channel.ts';
import { loadAndGreet } from './load.ts';
import { sendFrames } from './send-frames.ts';

export interface OutputOptions {
  /** Path of the library. */
  readonly library: string;
  /** The part in parentheses of the name on the network. */
  readonly name: string;
  readonly groups: string;
}

const pipe = 0;
/** How late the stream of a channel may be, and how much longer than that a frame may wait. */
const pace = { delayMs: 150, excessMs: 300 };

/** Returns the exit code when the engine ends or closes the channel. */
export async function runOutputChild({ library: path, name, groups }: OutputOptions): Promise<number> {
  const channel = openHubChannel();
  const library = loadAndGreet(path, channel);
  if (library) {
    channel.onMessage((message) => {
      if (message.type === 'ping') channel.send({ type: 'pong' });
    });
    const end = (cause: Extract<ChildMessage, { type: 'ended' }>['cause']) => channel.send({ type: 'ended', cause });
    const sender = library.send && Sender.create(library.send, name, groups);
    if (!sender) end(library.send ? 'nameTaken' : 'notSupported');
    else {
      channel.send({ type: 'sending', fullName: sender.fullName });
      // The stream ends when FFmpeg ends, which the engine notices itself.
      sendFrames(new MatroskaReader(pipe), sender, pace).catch(() => end('badStream'));
    }
  }
  await channel.closed;
  return 0;
}
