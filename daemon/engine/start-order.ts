/**
 * When a connection may start. After the engine's start, connections through a native endpoint wait until that endpoint
 * runs; inputs come first, and outputs start when there is something to send. Many to one host are spread out.
 */
import type { EnginePart } from '../media/protocol/reported.ts';
import type { PlannedAddress } from './channel/input-sharing.ts';

/** Number of connections to one host without delay; a few are harmless. */
const atOnce = 3;
const staggerMs = 1000;

export type StartOrder = ReturnType<typeof createStartOrder>;

export function createStartOrder() {
  const stagger = createConnectStagger();
  const [srt, udp] = [unheard(), unheard()];
  return {
    /** The first report about a component, good or bad, ends the wait for it. */
    heard(name: EnginePart['name']): void {
      const part = name === 'srt' ? srt : name === 'udp' ? udp : undefined;
      if (!part) return;
      part.isWaitedFor = false;
      part.heard.resolve();
    },
    /** Returns undefined to start immediately. */
    wait(address: PlannedAddress): Promise<unknown> | undefined {
      const { protocol } = address;
      // The channel that has the stream may not exist before the whole desired state is applied.
      if (protocol === 'shared' || protocol === 'failover') return Promise.resolve();
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
function hostThatIsAsked(address: PlannedAddress): string | undefined {
  if ('url' in address) return URL.canParse(address.url) ? new URL(address.url).hostname : undefined;
  return address.protocol === 'srt' && address.mode === 'caller' ? address.host : undefined;
}

/**
 * Spreads connections to one host that are due at the same moment, after a power cut or when an input starts to flow,
 * over one second, so that an encoder that serves twenty channels does not get all connections at once.
 */
export function createConnectStagger(now = () => performance.now(), random = Math.random) {
  const recent = new Map<string, { since: number; count: number }>();
  return {
    /** Returns the milliseconds that the next connection to this host should wait. */
    delayFor(host: string): number {
      const at = now();
      for (const [other, { since }] of recent) if (at - since > staggerMs) recent.delete(other);
      const entry = recent.get(host) ?? { since: at, count: 0 };
      recent.set(host, entry);
      entry.count++;
      return entry.count > atOnce ? random() * staggerMs : 0;
    },
  };
}
