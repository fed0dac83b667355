/** Accounts for tests. The hub's own service writes them into its database: nothing of the console makes users yet. */
import { join } from 'node:path';
import { cookieNames } from '../../daemon/contract/auth.ts';
import { createAudit } from '../../daemon/features/logs/audit.ts';
import { createUserService } from '../../daemon/features/users/service.ts';
import { createPasswords, passwordCost } from '../../daemon/lib/password.ts';
import { closeDatabase, openDatabase } from '../../daemon/store/database.ts';
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

const viewerGroup = 4;

export async function addViewer({ dataDir }: HubProcess): Promise<void> {
  const db = openDatabase(join(dataDir, 'hub.sqlite'));
  try {
    const passwords = createPasswords(passwordCost);
    const users = createUserService({ db, audit: createAudit(Date.now), passwords, now: Date.now });
    const { id: name, password } = accounts.viewer;
    await users.create({ name: 'Admin', ip: '' }, { name, password, groupId: viewerGroup });
  } finally {
    closeDatabase(db);
  }
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
