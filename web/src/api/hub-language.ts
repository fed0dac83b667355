import { authApi } from './calls.ts';
import { call } from './client.ts';

/** Maximum wait for the hub's language; nothing is shown before. */
const hubAnswerMs = 2000;

/** Undefined if the hub does not respond in time; the page then shows that it is unreachable. */
export async function hubLanguage(): Promise<string | undefined> {
  try {
    return (await call(authApi.setupState, { signal: AbortSignal.timeout(hubAnswerMs) })).language;
  } catch {
    return undefined;
  }
}
