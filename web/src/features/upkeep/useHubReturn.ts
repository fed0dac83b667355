import { useEffect, useState } from 'react';
import { systemApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useConnection } from '../../api/connection.ts';
import { faultOf } from '../../lib/call-error.ts';

/** `back`: the hub has started again. `signedOut`: as well, but the session has ended. `setup`: it has no password. */
export type Return = 'waiting' | 'back' | 'signedOut' | 'setup';

interface Wait {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly estimateSeconds: number;
}

const pollMs = 1000;
const answerMs = 4000;

/** Waits for a hub that restarts. */
export function useHubReturn() {
  const [wait, setWait] = useState<Wait | undefined>();
  const [state, setState] = useState<Return>('waiting');
  useEffect(() => {
    if (wait === undefined || state !== 'waiting') return;
    // The page says itself why the hub is away.
    useConnection.setState({ isExplained: true });
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const poll = async () => {
      const found = await look(wait.since);
      if (isOver) return;
      if (found === 'waiting') timer = setTimeout(() => void poll(), pollMs);
      else setState(found);
    };
    timer = setTimeout(() => void poll(), pollMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
      useConnection.setState({ isExplained: false });
    };
  }, [wait, state]);
  return {
    wait,
    state,
    begin: (estimateSeconds: number) => setWait({ since: Date.now(), estimateSeconds }),
  };
}

async function look(since: number): Promise<Return> {
  try {
    const { status } = await call(systemApi.status, { isUse: false, timeoutMs: answerMs });
    // It had been running for longer before. The time is in whole seconds.
    return (status.system.info['up-time'] + 1) * 1000 < Date.now() - since ? 'back' : 'waiting';
  } catch (error) {
    const fault = faultOf(error);
    if (fault === 'notInitialized') return 'setup';
    return fault === 'notLoggedIn' ? 'signedOut' : 'waiting';
  }
}
