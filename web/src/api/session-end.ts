/** Set while a page is open whose session has ended: one signs in again over it and loses nothing. */
import { create } from 'zustand';
import type { EndReason } from '../../../daemon/contract/auth.ts';
import { CallError } from './result.ts';

interface SessionEnd {
  readonly hasEnded: boolean;
  /** Undefined where the hub doesn't know. */
  readonly reason: EndReason | undefined;
}
const open: SessionEnd = { hasEnded: false, reason: undefined };
export const useSessionEnded = create<SessionEnd>(() => open);

let isInside = false;

/** The guard tells when a signed-in page is shown; elsewhere "not signed in" is the guard's own business. */
export function markInside(inside: boolean): void {
  isInside = inside;
  if (!inside) sessionGoesOn();
}

export function sessionGoesOn(): void {
  useSessionEnded.setState(open);
}

/** Told with every fault; the first that says so counts. */
export function noticeEnd(error: unknown): void {
  if (!isInside || !(error instanceof CallError) || error.fault !== 'notLoggedIn') return;
  if (useSessionEnded.getState().hasEnded) return;
  useSessionEnded.setState({ hasEnded: true, reason: error.params.reason as EndReason | undefined });
}
