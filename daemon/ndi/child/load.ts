/** Loads the library in a separate process and reports the result to the hub. */
import { resolve } from 'node:path';
import { type LibraryGroup, loadLibrary, type NdiLibrary } from '../../../native/ndi/library.ts';
import { ndiProtocol } from '../messages.ts';
import type { HubChannel } from './hub-channel.ts';

/** Returns undefined and reports the fault to the hub if the library cannot be used. */
export function loadAndGreet(path: string, channel: HubChannel): NdiLibrary | undefined {
  const library = loadLibrary(resolve(path));
  if ('fault' in library) {
    channel.send({ type: 'fault', fault: library.fault, detail: library.detail.slice(0, 4096) });
    return undefined;
  }
  const groups = (['send', 'receive'] satisfies LibraryGroup[]).filter((name) => library[name] !== undefined);
  const { version, isSimulator } = library;
  channel.send({ type: 'hello', protocol: ndiProtocol, version, isSimulator, groups });
  return library;
}
