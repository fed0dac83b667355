/** Sets a new password for Admin if it was lost. Requires write access to the data folder. */
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { firstPasswordRule } from './contract/password-rule.ts';
import { Password } from './contract/rules.ts';
import { deleteSessionsOf } from './features/auth/store.ts';
import { createAudit } from './features/logs/audit.ts';
import { readGroup } from './features/settings/store.ts';
import { deleteTokensOf } from './features/tokens/store.ts';
import { credentialsMaker } from './features/users/credentials.ts';
import { acceptPassword } from './features/users/new-password.ts';
import { rootUserId, rootUserName } from './features/users/service.ts';
import { setCredentials } from './features/users/store.ts';
import { fieldError } from './lib/hub-error.ts';
import type { Log } from './lib/log.ts';
import { createPasswords, passwordCost } from './lib/password.ts';
import { DataFolderError, openDataFolder } from './store/data-folder.ts';
import { closeDatabase, type Database, transaction } from './store/database.ts';
import { openHubDatabase } from './store/hub-database.ts';
import { openSecrets, type Secrets } from './store/secrets.ts';

/** Throws a DataFolderError while the hub runs, a HubError for a password that breaks the hub's rule. */
export async function resetAdmin(dataDir: string, log: Log): Promise<void> {
  if (!existsSync(dataDir)) {
    throw new DataFolderError(`there is no data folder ${dataDir}; name it with SIGNALBOX_DATA_DIR`);
  }
  const folder = openDataFolder(dataDir, log.in('store'));
  try {
    if (!existsSync(folder.database)) {
      throw new DataFolderError(`there is no database in ${dataDir}; name the hub's folder with SIGNALBOX_DATA_DIR`);
    }
    const db = openHubDatabase(folder, log.in('store'));
    try {
      await storePassword(db, openSecrets(folder.secretsKey), await readPassword());
    } finally {
      closeDatabase(db);
    }
  } finally {
    folder.release();
  }
}

async function storePassword(db: Database, secrets: Secrets, password: string): Promise<void> {
  const checked = Password.safeParse(password);
  if (!checked.success) throw fieldError('password', 'format', '10 to 128 characters, without a space at either end');
  const rule = readGroup(db, 'pwd-rule') ?? firstPasswordRule;
  const md5 = acceptPassword({ password }, { rule, userName: rootUserName, allowsMd5: false });
  const credentials = await credentialsMaker(createPasswords(passwordCost), secrets)(md5);
  transaction(db, (tx) => {
    setCredentials(tx, rootUserId, credentials);
    deleteSessionsOf(tx, rootUserId, undefined);
    deleteTokensOf(tx, rootUserId);
    createAudit(Date.now).record(
      tx,
      { name: '', ip: '' },
      { action: 'user.reset', subject: rootUserName, changes: [{ word: 'password' }], result: 'success' },
    );
  });
}

/** Asks twice without echo on a terminal; otherwise reads the first line of the input. */
async function readPassword(): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: process.stdin.isTTY });
  const iterator = lines[Symbol.asyncIterator]();
  const ask = async (prompt: string): Promise<string> => {
    if (process.stdin.isTTY) process.stderr.write(prompt);
    const { value } = await iterator.next();
    if (process.stdin.isTTY) process.stderr.write('\n');
    if (value === undefined) throw fieldError('password', 'required', 'none was given; nothing was changed');
    return value;
  };
  lines.on('SIGINT', () => lines.close());
  try {
    const password = await ask('New password of Admin: ');
    if (process.stdin.isTTY && (await ask('Repeat it: ')) !== password) {
      throw fieldError('password', 'differ', 'the two differ; nothing was changed');
    }
    return password;
  } finally {
    lines.close();
  }
}
