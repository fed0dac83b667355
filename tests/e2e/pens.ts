/** The made-up noun of tests/fixtures/pens, whose tasks the tests control. */
import type { TaskState } from '../../daemon/contract/tasks.ts';
import type { HubProcess } from '../integration/hub-process.ts';
import { untilSeen } from '../support/until.ts';

/** Starts a hub with the pens. */
export const pensHub = 'tests/fixtures/pens/hub.ts';

interface Listed {
  readonly list: readonly { readonly id: number; readonly state: TaskState }[];
}

export interface Pens {
  /** Begins to fill the first pens, which there are then. All wait until they are released, two at a time. */
  fill(count: number, subject: string): Promise<void>;
  /** Ends the filling of a pen, which waits for it. */
  release(id: number, change?: { readonly isLost: boolean }): Promise<void>;
  /** Cancels what runs. */
  clear(): Promise<void>;
}

export function pensOf(hub: HubProcess): Pens {
  const tasks = () => hub.api<Listed>('/api/task/list');
  return {
    async fill(count, subject) {
      const { total } = await hub.api<{ total: number }>('/api/pen/list');
      for (let id = total + 1; id <= count; id++) await hub.api('/api/pen/add', { name: `P${id}` });
      await hub.api('/api/pen/fill', { subject, count, isHeld: true });
    },
    async release(id, change) {
      const answer = () => hub.answer('/api/pen/release', { id, ...change });
      await untilSeen(answer, ({ result }) => result === 0);
    },
    async clear() {
      for (const { id, state } of (await tasks()).list)
        if (state === 'running') await hub.api('/api/task/cancel', { id });
    },
  };
}
