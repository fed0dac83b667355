/** Accounts for tests. */
import { cookieNames } from '../../daemon/contract/auth.ts';
import { adminPassword, type HubProcess } from '../integration/hub-process.ts';

export const accounts = {
  admin: { id: 'Admin', password: adminPassword },
  viewer: { id: 'viewer', password: 'looks-only' },
} as const;
export type Account = keyof typeof accounts;

interface Credentials {
  readonly id: string;
  readonly password: string;
}

export async function addViewer(hub: HubProcess): Promise<void> {
  const { id: name, password } = accounts.viewer;
  await hub.api('/api/usr/add', { name, password });
}

/** The session cookie of a new sign-in. */
export async function signInCookie({ url }: HubProcess, account: Account | Credentials) {
  const credentials = typeof account === 'string' ? accounts[account] : account;
  const response = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
    signal: AbortSignal.timeout(10_000),
  });
  const { result, token } = (await response.json()) as { result: number; token: string };
  if (result !== 0) throw new Error(`sign-in of ${credentials.id} answered ${result}`);
  return { name: cookieNames.sid, value: token, url, httpOnly: true, sameSite: 'Strict' as const };
}
