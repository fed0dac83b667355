import type { EndReason } from '../../contract/auth.ts';

/** Why sessions ended, for browsers that still send them. In memory: a restart of the hub loses the reasons. */
export interface EndedSessions {
  note(idHash: string, reason: EndReason): void;
  reasonOf(idHash: string): EndReason | undefined;
}

/** All sessions that 32 users can have open at the same time. */
const maxKept = 2048;

export function createEndedSessions(): EndedSessions {
  const reasons = new Map<string, EndReason>();
  return {
    note(idHash, reason) {
      const [oldest] = reasons.keys();
      if (reasons.size >= maxKept && oldest !== undefined) reasons.delete(oldest);
      reasons.set(idHash, reason);
    },
    reasonOf: (idHash) => reasons.get(idHash),
  };
}
