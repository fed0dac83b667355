import { authApi, type SessionUser } from '../../../../daemon/contract/auth.ts';
import type { AnswerOf, BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { call } from '../../api/client.ts';
import { paths } from '../../paths.ts';

export interface Credentials {
  readonly id: string;
  readonly password: string;
}

export async function signIn(credentials: Credentials): Promise<SessionUser> {
  return (await call(authApi.login, { body: credentials })).user;
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
