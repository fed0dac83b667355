import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { authApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { noticeFault, queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';
import { useSessionEnded } from '../../api/session-end.ts';
import { watchingEvent } from '../../lib/watching.ts';
import { systemStatusQuery } from '../../shared/system/system-query.ts';
import { isNearEnd, keepPauseMs, nextLookMs } from './session-time.ts';

/** User activity: keys, pointer, wheel, and watching. Background requests of a page do not keep a session alive. */
const acts = ['keydown', 'pointerdown', 'wheel', watchingEvent] as const;

interface SessionKeeper {
  /** When the session ends; undefined while that is not near. */
  readonly endsAt: number | undefined;
  readonly keep: () => void;
}

/** Sends keep-alives to the hub while the user is active, and tracks when the session will end. */
export function useSessionKeeper(): SessionKeeper {
  const { data, dataUpdatedAt } = useSuspenseQuery(sessionQuery);
  const limit = useQuery({ ...systemStatusQuery, select: ({ system }) => system.info['expired-time'] }).data;
  const hasEnded = useSessionEnded((state) => state.hasEnded);
  const expiresIn = data['expires-in'];
  const isNear = limit !== undefined && isNearEnd({ expiresIn, limitMinutes: limit });

  useEffect(() => {
    if (limit === undefined || hasEnded || dataUpdatedAt === 0) return;
    const wait = nextLookMs({ expiresIn, limitMinutes: limit });
    if (wait === undefined) return;
    const timer = setTimeout(look, wait);
    return () => clearTimeout(timer);
  }, [limit, hasEnded, expiresIn, dataUpdatedAt]);
  useLookWhen(limit);

  const keptAt = useRef(0);
  const keep = useCallback(() => {
    keptAt.current = Date.now();
    void keepAlive();
  }, []);
  // Opening the console counts as activity.
  useEffect(keep, [keep]);
  useEffect(() => {
    const act = () => {
      if (hasEnded || limit === undefined || limit < 0) return;
      if (isNear || Date.now() - keptAt.current >= keepPauseMs(limit)) keep();
    };
    for (const name of acts) document.addEventListener(name, act, { capture: true, passive: true });
    return () => {
      for (const name of acts) document.removeEventListener(name, act, { capture: true });
    };
  }, [hasEnded, isNear, limit, keep]);

  return { endsAt: isNear && !hasEnded ? dataUpdatedAt + expiresIn * 1000 : undefined, keep };
}

/** Checks after a change of the setting, and when the tab becomes visible: its timers may have been suspended. */
function useLookWhen(limit: number | undefined): void {
  const known = useRef(limit);
  useEffect(() => {
    if (known.current !== undefined && known.current !== limit) look();
    known.current = limit;
  }, [limit]);
  useEffect(() => {
    const show = () => {
      if (!document.hidden) look();
    };
    document.addEventListener('visibilitychange', show);
    return () => document.removeEventListener('visibilitychange', show);
  }, []);
}

function look(): void {
  if (!useSessionEnded.getState().hasEnded) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

async function keepAlive(): Promise<void> {
  try {
    queryClient.setQueryData(sessionQuery.queryKey, await call(authApi.session, { isUse: true }));
  } catch (error) {
    noticeFault(error);
  }
}
