/** Receives one source in a separate process, and writes its frames to standard output, the pipe to FFmpeg. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Bandwidth } from '../../../native/ndi/receiver.ts';
import { Receiver } from '../../../native/ndi/receiver.ts';
import { writeToStderr } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import { openHubChannel } from './hub-channel.ts';
import { InputChild } from './input-child.ts';
import { loadAndGreet } from './load.ts';

export interface InputOptions {
  /** Path of the library. */
  readonly library: string;
  /** `MACHINE (source)`. */
  readonly source: string;
  readonly bandwidth: Bandwidth;
}

const pipe = 1;
/** The longest time that a ping waits for an answer. */
const waitMs = 50;

/** Resolves with the exit code when the engine has ended or has closed the channel. */
export async function runInputChild({ library: path, source, bandwidth }: InputOptions): Promise<number> {
  const channel = openHubChannel();
  const library = loadAndGreet(path, channel);
  let isOpen = true;
  void channel.closed.then(() => {
    isOpen = false;
  });
  if (!library) return channel.closed.then(() => 0);
  channel.onMessage((message) => {
    if (message.type === 'ping') channel.send({ type: 'pong' });
  });
  if (!library.receive) {
    channel.send({ type: 'ended', cause: 'notSupported' });
    return channel.closed.then(() => 0);
  }
  const receiver = new Receiver(library.receive, { source, bandwidth, name: 'Signalbox' });
  const child = new InputChild({
    ...{ pipe, timing: timing.ndi, send: channel.send, warn: writeToStderr },
    now: () => performance.timeOrigin + performance.now(),
  });
  while (isOpen && !child.isOver) {
    const captured = receiver.capture(waitMs, child);
    // Lets Bun read messages of the engine in between. The library may not wait after the connection broke.
    await (captured === 'lost' ? delay(waitMs) : new Promise((resolve) => setImmediate(resolve)));
  }
  receiver.close();
  // The engine has read what was sent when it closes the channel.
  await channel.closed;
  return 0;
}
