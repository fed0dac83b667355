import type { EndReason } from '../../contract/auth.ts';

/** All sessions that 32 users can have open at the same time. */
const maxKept = 2048;

/** Why sessions ended, for browsers that still send them. In memory: a restart of the hub loses the reasons. */
export function createEndedSessions() {
  const reasons = new Map<string, EndReason>();
  return {
    note(idHash: string, reason: EndReason): void {
      const [oldest] = reasons.keys();
      if (reasons.size >= maxKept && oldest !== undefined) reasons.delete(oldest);
      reasons.set(idHash, reason);
    },
    reasonOf: (idHash: string): EndReason | undefined => reasons.get(idHash),
  };
}
