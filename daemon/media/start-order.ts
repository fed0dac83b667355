/**
 * When a connection may begin. After a start: doors first, so connections through a native endpoint wait until that one
 * runs; then inputs, and outputs when there is something to send. Many to one host are spread.
 */
import type { FetchSource, OutputTarget } from './addresses.ts';
import { createSpread } from './spread.ts';
import type { EnginePart } from './status.ts';

type Address = FetchSource | OutputTarget;

export interface StartOrder {
  /** What is known of a part for the first time, good or bad, is waited for no longer. */
  heard(part: EnginePart['name']): void;
  /** Undefined: at once. */
  wait(address: Address): Promise<unknown> | undefined;
}

export function createStartOrder(): StartOrder {
  const spread = createSpread({});
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
      const delayMs = host === undefined ? 0 : spread.delayFor(host);
      if (part?.isWaitedFor) return part.heard.promise.then(() => Bun.sleep(delayMs));
      return delayMs > 0 ? Bun.sleep(delayMs) : undefined;
    },
  };
}

const unheard = () => ({ isWaitedFor: true, heard: Promise.withResolvers<void>() });

/** Nobody is asked by who listens, and by datagrams. */
function hostThatIsAsked(address: Address): string | undefined {
  if ('url' in address) return URL.canParse(address.url) ? new URL(address.url).hostname : undefined;
  return address.protocol === 'srt' && address.mode === 'caller' ? address.host : undefined;
}
