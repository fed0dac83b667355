import type { EndReason } from '../../contract/auth.ts';

/** Why sessions ended, for the browsers that come with one. In memory: after a restart nobody is told why. */
export interface EndedSessions {
  note(idHash: string, reason: EndReason): void;
  reasonOf(idHash: string): EndReason | undefined;
}

/** Every session that 32 users may have open at the same time. */
const mostKept = 2048;

export function createEndedSessions(): EndedSessions {
  const reasons = new Map<string, EndReason>();
  return {
    note(idHash, reason) {
      const [oldest] = reasons.keys();
      if (reasons.size >= mostKept && oldest !== undefined) reasons.delete(oldest);
      reasons.set(idHash, reason);
    },
    reasonOf: (idHash) => reasons.get(idHash),
  };
}
