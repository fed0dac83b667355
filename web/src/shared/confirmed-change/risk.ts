/** A change of settings that may cut off the user who makes it. */
import type { ReactNode } from 'react';
import type { BodyInput, ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { defaultConfirmSeconds } from '../../../../daemon/contract/network-fields.ts';
import type { ConfirmedKind } from '../../../../daemon/contract/network-states.ts';
import type { networkApi } from '../../api/calls.ts';
import { beginTrial, type Trial } from './trial.ts';

/** How a change is to be confirmed: members of the body of each call that makes one. */
export type Confirmation = Pick<BodyInput<typeof networkApi.set>, 'confirm-within' | 'accept-risk'>;
export type ToConfirm = Pick<ResponseOf<typeof networkApi.set>, 'token' | 'confirm-by-s' | 'addresses'> &
  Pick<Trial, 'revision'>;

export interface Risk {
  readonly kind: ConfirmedKind;
  /** As a question. */
  readonly title: string;
  /** What changes, one line each. */
  readonly changes: readonly string[];
  /** How this browser reaches the console now. */
  readonly now: ReactNode;
  /**
   * Where the console will be, such as `http://192.0.2.7/`; `same`: where it is; `unknown`: a DHCP server decides;
   * `proxied`: a proxy in between decides, so only the user can tell whether the console is still reached.
   */
  readonly next: readonly string[] | 'same' | 'unknown' | 'proxied';
  /** Resolves to undefined if the hub refused the change and the form shows why; rejects with any other fault. */
  readonly apply: (confirmation: Confirmation) => Promise<ToConfirm | undefined>;
  /** Called once the change was made without a safety net. */
  readonly onFinal: () => void;
}

/** An address that a DHCP server chooses has to be found by the user, who signs in there. */
const searchSeconds = 300;

export function trialSeconds({ next }: Pick<Risk, 'next'>): number {
  return next === 'unknown' ? searchSeconds : defaultConfirmSeconds;
}

/** Makes the change; unless it is final, the page is covered until it is confirmed or undone. */
export async function applyRisky(risk: Risk, isFinal: boolean): Promise<void> {
  const confirmation = isFinal
    ? { 'confirm-within': 0, 'accept-risk': true }
    : { 'confirm-within': trialSeconds(risk) };
  const answer = await risk.apply(confirmation);
  if (answer === undefined) return;
  const seconds = answer['confirm-by-s'];
  if (seconds === 0) return risk.onFinal();
  const { kind, next } = risk;
  // The page asks its user to confirm.
  if (next === 'proxied') return;
  const hosts = answer.addresses.map((host) => consoleAt(host, location));
  const first = next === 'same' ? [`${location.origin}/`] : next === 'unknown' ? [] : next;
  const { token, revision } = answer;
  beginTrial({ kind, token, revision, addresses: [...new Set([...first, ...hosts])] }, seconds);
}

/** Address of the console at another address of the hub. */
export function consoleAt(host: string, { protocol, port }: Pick<Location, 'protocol' | 'port'>): string {
  return `${protocol}//${host.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}/`;
}
