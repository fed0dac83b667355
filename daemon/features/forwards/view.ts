/** The object of the API. */
import { type ForwardReason, forwardStates } from '../../contract/forward-states.ts';
import type { Forward } from '../../contract/forwards.ts';
import type { DeviceStanding } from '../devices/feature.ts';
import type { RunningForward } from './runner.ts';
import type { ForwardRow } from './store.ts';

type Shown = Pick<Forward, 'state' | 'reason'>;

interface ViewDeps {
  readonly standing: (sn: string) => DeviceStanding | undefined;
  readonly running: (id: number) => RunningForward | undefined;
  readonly userName: (id: number) => string;
  readonly now: () => number;
}

export function createForwardView({ standing, running, userName, now }: ViewDeps) {
  /** The state in which each was shown last. */
  const last = new Map<number, Shown & { readonly since: number }>();
  const sinceOf = (id: number, shown: Shown): number => {
    const before = last.get(id);
    if (before?.state === shown.state && before.reason === shown.reason) return before.since;
    const since = now();
    last.set(id, { ...shown, since });
    return since;
  };
  return {
    show(row: ForwardRow): Forward {
      const { id, sn, ownerId } = row;
      const device = standing(sn);
      const one = running(id);
      const shown = shownOf(row, one, device?.isOnline ?? false);
      const { rx, tx } = one?.listener?.traffic() ?? { rx: 0, tx: 0 };
      return {
        ...{ id, revision: row.revision, sn, 'device-name': device?.name ?? '', name: row.name },
        ...{ 'remote-port': row.remotePort, 'local-port': row.localPort, address: row.address },
        ...{ 'auto-start': row.isPermanent, 'idle-minutes': row.idleMinutes, started: row.isStarted },
        ...{ ...shown, since: sinceOf(id, shown), port: one?.listener?.port ?? 0, 'started-by': userName(ownerId) },
        ...{ connections: one?.listener?.connections ?? 0, 'total-connections': one?.listener?.total ?? 0 },
        ...{ 'rx-bytes': rx, 'tx-bytes': tx },
      };
    },
    forget: (id: number): boolean => last.delete(id),
  };
}

function shownOf(row: ForwardRow, one: RunningForward | undefined, isOnline: boolean): Shown {
  const { idle, connected, failed } = forwardStates;
  const withReason = (state: Shown['state'], reason: ForwardReason | null | undefined) =>
    reason ? { state, reason } : { state };
  if (!row.isStarted) return withReason(row.reason === 'noPermission' ? failed : idle, row.reason);
  if (one?.listener === undefined) return withReason(failed, one?.fault);
  return isOnline ? withReason(connected, one.lastReason) : withReason(idle, 'deviceOffline');
}
