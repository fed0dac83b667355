import type { SessionUser } from '../../../../daemon/contract/auth.ts';
import type { BodyInput, ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { authApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { firstSetupState } from '../../api/first-answers.ts';
import { loadPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import { releaseForms } from '../../ui/form/unsaved.ts';

type Present = { readonly password: string } | { readonly challenge: string; readonly proof: string };

export interface Credentials {
  readonly id: string;
  readonly password: string;
}

export async function signIn({ id, password }: Credentials): Promise<SessionUser> {
  return (await call(authApi.login, { body: { id, ...(await presentPassword(id, password)) } })).user;
}

/**
 * Returns the current password as it is sent to the hub: in clear over HTTPS and on the hub's own machine, otherwise as
 * a proof that an eavesdropper cannot reuse.
 */
export async function presentPassword(name: string, password: string): Promise<Present> {
  if (globalThis.isSecureContext !== false) return { password };
  const { challenge } = await call(authApi.challenge, { body: { id: name } });
  // This user's password was stored by an older hub.
  if (challenge === undefined) return { password };
  const { proofOf } = await loadPart(() => import('./proof.ts'));
  return { challenge: challenge.nonce, proof: await proofOf(name, password, challenge) };
}

/** Reloads the page, so that nothing shown to the previous user remains. */
export async function signOut(): Promise<void> {
  await call(authApi.logout);
  leaveForSignIn();
}

export function leaveForSignIn(): void {
  releaseForms();
  location.hash = paths.signIn;
  location.reload();
}

export type SetupState = ResponseOf<typeof authApi.setupState>;

export function askSetupState(): Promise<SetupState> {
  return firstSetupState.take() ?? call(authApi.setupState);
}

/** First start: sets the root user's password and signs in with it. */
export async function setUp(first: BodyInput<typeof authApi.setup>): Promise<void> {
  await call(authApi.setup, { body: first });
  await signIn({ id: 'Admin', password: first.password });
}
