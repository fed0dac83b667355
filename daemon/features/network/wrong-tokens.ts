/** Refuses an address that has sent several wrong tokens. Other addresses are not affected: they may have the right one. */
import { HubError } from '../../lib/hub-error.ts';

const freeTries = 5;
const windowMs = 60_000;
/** Addresses that are remembered; the oldest is forgotten. */
const maxAddresses = 256;

export type WrongTokens = ReturnType<typeof createWrongTokens>;

export function createWrongTokens(elapsed: () => number) {
  const failures = new Map<string, { readonly since: number; readonly count: number }>();
  return {
    /** Throws `tryAgain` instead of calling `attempt` once the address has no try left. */
    async guard<T>(address: string, attempt: () => Promise<T>): Promise<T> {
      const known = failures.get(address);
      const before = known !== undefined && elapsed() - known.since < windowMs ? known : undefined;
      if (before !== undefined && before.count >= freeTries) {
        const seconds = Math.ceil((before.since + windowMs - elapsed()) / 1000);
        throw new HubError('tryAgain', `too many wrong tokens; wait ${seconds} s`, { params: { seconds } });
      }
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof HubError && error.result === 'mismatch') {
          failures.delete(address);
          failures.set(address, { since: before?.since ?? elapsed(), count: (before?.count ?? 0) + 1 });
          const [oldest] = failures.keys();
          if (failures.size > maxAddresses && oldest !== undefined) failures.delete(oldest);
        }
        throw error;
      }
    },
  };
}
