/**
 * Tracks whether the hub responds. A loss is shown after one second, and the hub is then polled with backoff. When it
 * is back, the page continues where it was, or reloads if the hub runs another build.
 */
import { create } from 'zustand';
import type { StopEvent, StreamsAfterStop } from '../../../daemon/contract/events.ts';
import { backoffMs } from '../lib/backoff.ts';
import { faultOf } from '../lib/call-error.ts';
import { authApi } from './calls.ts';
import { call } from './client.ts';
import { noticeEnd } from './session-end.ts';

export type HubWork = 'restarting' | 'resetting' | 'importing';

interface ConnectionState {
  readonly isLost: boolean;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Time of the next attempt. */
  readonly nextTry: number;
  /** What the hub said about its streams before it was stopped; undefined: it went without a word. */
  readonly streams: StreamsAfterStop | undefined;
  /** What the hub does with itself: it restarts at the end. */
  readonly work: HubWork | undefined;
  /** Something else on the page says why the hub is away, and when it comes back. */
  readonly isExplained: boolean;
}

export const useConnection = create<ConnectionState>(() => ({
  ...{ isLost: false, since: 0, nextTry: 0 },
  streams: undefined,
  work: undefined,
  isExplained: false,
}));

const graceMs = 1000;
const healthTimeoutMs = 4000;

type Listener = () => void;

function createConnectionWatch() {
  const listeners = new Set<Listener>();
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let grace: ReturnType<typeof setTimeout> | undefined;
  let isWatching = false;
  let buildId: string | undefined;

  const isHealthy = async (): Promise<boolean> => {
    try {
      const response = await fetch('/api/health', { signal: AbortSignal.timeout(healthTimeoutMs), cache: 'no-store' });
      if (!response.ok) return false;
      await call(authApi.session);
      return true;
    } catch (error) {
      // Healthy but no longer signed in.
      noticeEnd(error);
      const fault = faultOf(error);
      return fault !== undefined && fault !== 'unreachable' && fault !== 'requestTimeout';
    }
  };
  const recover = () => {
    isWatching = false;
    attempt = 0;
    clearTimeout(grace);
    useConnection.setState({ isLost: false, streams: undefined, work: undefined });
    for (const listener of listeners) listener();
  };
  const tryNow = async (): Promise<void> => {
    clearTimeout(timer);
    if (await isHealthy()) return recover();
    const pause = backoffMs(attempt);
    attempt += 1;
    useConnection.setState({ nextTry: Date.now() + pause });
    timer = setTimeout(() => void tryNow(), pause);
  };

  const suspect = () => {
    if (isWatching) return;
    isWatching = true;
    const since = Date.now();
    grace = setTimeout(() => useConnection.setState({ isLost: true, since }), graceMs);
    void tryNow();
  };

  return {
    /** A request failed below the API: checks whether the hub is reachable. */
    suspect,
    /** The hub is being stopped. */
    stopping({ streams }: StopEvent) {
      useConnection.setState({ streams });
      suspect();
    },
    tryNow: () => void tryNow(),
    onRecovered(listener: Listener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Another build has other files, so chunks that this page would load later no longer exist. */
    sawBuild(id: string) {
      if (buildId !== undefined && buildId !== id) location.reload();
      buildId = id;
    },
  };
}

export const connection = createConnectionWatch();
