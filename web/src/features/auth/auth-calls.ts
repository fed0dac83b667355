import { authApi, type SessionUser } from '../../../../daemon/contract/auth.ts';
import type { AnswerOf, BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { call } from '../../api/client.ts';
import { paths } from '../../paths.ts';

type Present = { readonly password: string } | { readonly challenge: string; readonly proof: string };

export interface Credentials {
  readonly id: string;
  readonly password: string;
}

export async function signIn({ id, password }: Credentials): Promise<SessionUser> {
  return (await call(authApi.login, { body: { id, ...(await presentPassword(id, password)) } })).user;
}

/**
 * The present password in the form that is sent to the hub: in clear over HTTPS and on the machine of the hub, otherwise as
 * a proof that an eavesdropper cannot reuse.
 */
export async function presentPassword(name: string, password: string): Promise<Present> {
  if (globalThis.isSecureContext !== false) return { password };
  const { challenge } = await call(authApi.challenge, { body: { id: name } });
  // An older hub stored the password of this user.
  if (challenge === undefined) return { password };
  const { proofOf } = await import('./proof.ts');
  return { challenge: challenge.nonce, proof: await proofOf(name, password, challenge) };
}

/** The page is loaded anew: nothing that the last person was shown may stay. */
export async function signOut(): Promise<void> {
  await call(authApi.logout);
  leaveForSignIn();
}

export function leaveForSignIn(): void {
  location.hash = paths.signIn;
  location.reload();
}

export type SetupState = AnswerOf<typeof authApi.setupState>;

export function askSetupState(): Promise<SetupState> {
  return call(authApi.setupState);
}

/** First start: chooses the root user's password and signs in with it. */
export async function setUp(first: BodyInput<typeof authApi.setup>): Promise<void> {
  await call(authApi.setup, { body: first });
  await signIn({ id: 'Admin', password: first.password });
}
