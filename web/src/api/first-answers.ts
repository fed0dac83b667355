/** Answers that are asked for while the code that shows them is still on its way. */
import { authApi } from './calls.ts';
import { call } from './client.ts';

function firstAnswer<T>(request: (signal: AbortSignal | undefined) => Promise<T>) {
  let asked: Promise<T> | undefined;
  return {
    ask(signal?: AbortSignal): Promise<T> {
      const answer = request(signal);
      asked = answer;
      // A fault is not kept: the next to need the answer asks again.
      answer.catch(() => {
        asked = undefined;
      });
      return answer;
    },
    /** Returns what was asked for; only the first time, because it may change. */
    take(): Promise<T> | undefined {
      const taken = asked;
      asked = undefined;
      return taken;
    },
  };
}

const signalOf = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });

export const firstSession = firstAnswer((signal) => call(authApi.session, signalOf(signal)));
/** Its language is needed before anything is shown, the rest by the sign-in page. */
export const firstSetupState = firstAnswer((signal) => call(authApi.setupState, signalOf(signal)));
