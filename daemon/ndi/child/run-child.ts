/** Runs a process that loads the library and does what the hub tells it. */
import type { NdiLibrary } from '../../../native/ndi/library.ts';
import type { ChildMessage, HubMessage } from '../messages.ts';
import { openHubChannel } from './hub-channel.ts';
import { loadAndGreet } from './load.ts';

interface Worker {
  receive(message: HubMessage): void;
  close(): void;
}

/** Begins what a role does with the library. Returns undefined if the library lacks the functions for it. */
export type ChildWork = (library: NdiLibrary, send: (message: ChildMessage) => void) => Worker | undefined;

/** Returns the exit code when the hub ends or closes the channel. Without `begin`, it only loads the library. */
export async function runChild(path: string, begin?: ChildWork): Promise<number> {
  const channel = openHubChannel();
  const library = loadAndGreet(path, channel);
  const worker = library && begin?.(library, channel.send);
  if (worker) channel.onMessage((message) => worker.receive(message));
  await channel.closed;
  worker?.close();
  return 0;
}
