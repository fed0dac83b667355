import type { ConfirmedKind } from '../../../../daemon/contract/network-states.ts';
import type { ToConfirm } from './risk.ts';
import { beginTrial } from './trial.ts';
// Covers the page during the change, when nothing can be loaded.
import './TrialCurtain.tsx';

/**
 * For calls whose changes have to be confirmed only if they affect how the hub reaches the caller, at the same address.
 * Covers the page until that is done. Returns whether the change is final already.
 */
export function followTrial(kind: ConfirmedKind, { token, 'confirm-by-s': seconds }: ToConfirm): boolean {
  if (seconds === 0) return true;
  beginTrial({ kind, token, addresses: [`${location.origin}/`] }, seconds);
  return false;
}
