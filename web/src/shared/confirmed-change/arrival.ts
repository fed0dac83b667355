/** A page that was opened at the new address of the hub confirms the change before the console starts. */
import { networkApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { faultOf } from '../../lib/call-error.ts';
import { confirmTokenName } from '../../lib/paths.ts';

export interface ArrivalAt {
  readonly token: string;
  /** Origin of the page from which the change was made; undefined if the address names none that may be gone to. */
  readonly from: string | undefined;
  /** The fragment without what belongs to the arrival. */
  readonly hash: string;
}

/** Reads the fragment of an address that `arrivalLink` made. */
export function readArrival(hash: string, hostname: string): ArrivalAt | undefined {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?');
  const values = new URLSearchParams(query);
  const [token, from] = [values.get(confirmTokenName), values.get('from')];
  if (token === null) return undefined;
  values.delete(confirmTokenName);
  values.delete('from');
  const rest = values.toString();
  return { token, from: originOf(from, hostname), hash: `#${path}${rest === '' ? '' : `?${rest}`}` };
}

/** Only an address in numbers, or another port of this host: a link must not lead anywhere else. */
function originOf(text: string | null, hostname: string): string | undefined {
  const url = text === null ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const isNumeric = /^(\d+\.\d+\.\d+\.\d+|\[[\da-f:]+\])$/.test(url.hostname);
  return isNumeric || url.hostname === hostname ? url.origin : undefined;
}

const limitMs = 3000;
const pauseMs = 1000;
const passing: ReadonlySet<unknown> = new Set(['unreachable', 'requestTimeout', 'tryAgain', 'inProgress']);

/**
 * Resolves to whether the hub took the confirmation; false: the change was confirmed or undone before. Repeats while the
 * hub does not answer, and calls `onSilence` each time.
 */
export async function confirmArrival(token: string, onSilence: () => void): Promise<boolean> {
  for (;;) {
    try {
      await call(networkApi.confirm, { body: { token }, timeoutMs: limitMs });
      return true;
    } catch (error) {
      if (!passing.has(faultOf(error))) return false;
    }
    onSilence();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
