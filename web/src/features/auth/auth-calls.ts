import { authApi, type SessionUser } from '../../../../daemon/contract/auth.ts';
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

export async function isSetupNeeded(): Promise<boolean> {
  return (await call(authApi.setupState)).needed;
}

/** First start: chooses the root user's password and signs in with it. */
export async function setUp(password: string): Promise<void> {
  await call(authApi.setup, { body: { password } });
  await signIn({ id: 'Admin', password });
}
