/**
 * When a connection may start. After the engine's start, connections through a native endpoint wait until that endpoint
 * runs; inputs come first, and outputs start when there is something to send. Many to one host are spread out.
 */

import type { EnginePart } from '../media/protocol/reported.ts';
import type { FetchSource, OutputTarget } from '../sources/stream-address.ts';
import { createConnectStagger } from './connect-stagger.ts';

type Address = FetchSource | OutputTarget;

export interface StartOrder {
  /** The first report about a component, good or bad, ends the wait for it. */
  heard(part: EnginePart['name']): void;
  /** Returns undefined to start immediately. */
  wait(address: Address): Promise<unknown> | undefined;
}

export function createStartOrder(): StartOrder {
  const stagger = createConnectStagger({});
  const [srt, udp] = [unheard(), unheard()];
  return {
    heard(name) {
      const part = name === 'srt' ? srt : name === 'udp' ? udp : undefined;
      if (!part) return;
      part.isWaitedFor = false;
      part.heard.resolve();
    },
    wait(address) {
      const { protocol } = address;
      const part = protocol === 'srt' ? srt : protocol === 'udp' || protocol === 'rtp' ? udp : undefined;
      const host = hostThatIsAsked(address);
      const delayMs = host === undefined ? 0 : stagger.delayFor(host);
      if (part?.isWaitedFor) return part.heard.promise.then(() => Bun.sleep(delayMs));
      return delayMs > 0 ? Bun.sleep(delayMs) : undefined;
    },
  };
}

const unheard = () => ({ isWaitedFor: true, heard: Promise.withResolvers<void>() });

/** Returns the host that the connection calls. Listeners and datagrams do not call. */
function hostThatIsAsked(address: Address): string | undefined {
  if ('url' in address) return URL.canParse(address.url) ? new URL(address.url).hostname : undefined;
  return address.protocol === 'srt' && address.mode === 'caller' ? address.host : undefined;
}
