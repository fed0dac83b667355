/** Set if the session ends while a page is open. The user signs in again over the page and keeps what was typed. */
import { create } from 'zustand';
import type { EndReason } from '../../../daemon/contract/auth.ts';
import { CallError } from '../lib/call-error.ts';

interface SessionEnd {
  readonly hasEnded: boolean;
  /** Undefined if the hub does not know. */
  readonly reason: EndReason | undefined;
}
const open: SessionEnd = { hasEnded: false, reason: undefined };
export const useSessionEnded = create<SessionEnd>(() => open);

let isInside = false;

/** Called by the guard when a signed-in page is shown or left. On other pages, the guard handles `notLoggedIn`. */
export function markInside(inside: boolean): void {
  isInside = inside;
  if (!inside) sessionGoesOn();
}

export function sessionGoesOn(): void {
  useSessionEnded.setState(open);
}

/** Called with every fault; only the first `notLoggedIn` counts. */
export function noticeEnd(error: unknown): void {
  if (!isInside || !(error instanceof CallError) || error.fault !== 'notLoggedIn') return;
  if (useSessionEnded.getState().hasEnded) return;
  useSessionEnded.setState({ hasEnded: true, reason: error.params.reason as EndReason | undefined });
}
