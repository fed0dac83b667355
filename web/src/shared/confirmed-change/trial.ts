/**
 * A change that is in effect on trial: the hub undoes it unless a page confirms it where the console is afterwards. It
 * is kept in the session storage, so that a page that is reloaded meanwhile continues with it.
 */
import { create } from 'zustand';
import type { ConfirmedKind } from '../../../../daemon/contract/network-states.ts';
import { confirmTokenName } from '../../lib/paths.ts';

export interface Trial {
  readonly kind: ConfirmedKind;
  /**
   * Confirms the change, and signs its user in where no session is known. Absent for ports and certificate of the
   * console: a page of a signed-in user at the new address confirms them.
   */
  readonly token: string | undefined;
  /** Revision of the settings after the change; a return to the previous settings has another one. */
  readonly revision?: number | undefined;
  /** In milliseconds since 1970 by the clock of this browser, as is `endsAt`. */
  readonly beganAt: number;
  /** When the hub undoes the change. */
  readonly endsAt: number;
  /** Addresses of the console after the change, such as `http://192.0.2.7/`, the most likely first. */
  readonly addresses: readonly string[];
}

const storageKey = 'signalbox-trial';
/** An older one has nothing to say any more. */
const keptMs = 600_000;

export const useTrial = create<{ readonly trial: Trial | undefined }>(() => ({ trial: keptTrial() }));

/** `seconds`: until the hub undoes the change. */
export function beginTrial(trial: Omit<Trial, 'beganAt' | 'endsAt'>, seconds: number): void {
  const beganAt = Date.now();
  const started = { ...trial, beganAt, endsAt: beganAt + seconds * 1000 };
  sessionStorage.setItem(storageKey, JSON.stringify(started));
  useTrial.setState({ trial: started });
}

export function endTrial(): void {
  sessionStorage.removeItem(storageKey);
  useTrial.setState({ trial: undefined });
}

function keptTrial(): Trial | undefined {
  const kept = sessionStorage.getItem(storageKey);
  if (kept === null) return undefined;
  const trial = JSON.parse(kept) as Trial;
  return Date.now() < trial.endsAt + keptMs ? trial : undefined;
}

interface Arrival {
  /** Of the console after the change. */
  readonly address: string;
  readonly token: string | undefined;
  /** Where the console is while the change is not in effect. */
  readonly from: string;
  /** The page to show. */
  readonly path: string;
}

/** The page at the new address that confirms a trial. Browsers send the fragment of an address to no server. */
export function arrivalLink({ address, token, from, path }: Arrival): string {
  const [pathname, query = ''] = path.split('?');
  const values = new URLSearchParams(query);
  if (token !== undefined) {
    values.set(confirmTokenName, token);
    values.set('from', from);
  }
  const text = values.toString();
  const url = new URL(address);
  url.hash = text === '' ? path : `${pathname}?${text}`;
  return url.href;
}

/** Whether the console is at the origin of this page after the change, too. */
export function staysHere({ addresses }: Pick<Trial, 'addresses'>, origin: string): boolean {
  return addresses.some((address) => URL.parse(address)?.origin === origin);
}
