import { timing } from '../../timing.ts';
import { openHubChannel } from './hub-channel.ts';
import { loadAndGreet } from './load.ts';
import { RouterChild } from './router-child.ts';

/** Returns the exit code when the hub ends or closes the channel. */
export async function runRouterChild(path: string): Promise<number> {
  const channel = openHubChannel();
  const library = loadAndGreet(path, channel);
  const router = library && new RouterChild({ library, timing: timing.ndi, send: channel.send });
  if (router) channel.onMessage((message) => router.receive(message));
  await channel.closed;
  router?.close();
  return 0;
}
