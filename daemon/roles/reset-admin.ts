/** Sets another password of Admin. */
import { readConfig } from '../config.ts';
import { HubError } from '../lib/hub-error.ts';
import { createLog } from '../lib/log.ts';
import { isNoSpace } from '../lib/no-space.ts';
import { exitCodes, fail, noSpaceAtStart, type Role } from './role.ts';

export const role: Role = {
  help: `It sets another password of Admin in the data folder of a hub that is stopped, and ends the sessions and access
tokens of Admin. It asks for the password, or reads the first line of the input. SIGNALBOX_DATA_DIR names the data
folder, as for the hub.
`,
  run: runResetAdmin,
};

async function runResetAdmin(): Promise<number> {
  const { dataDir, logLevel } = readConfig(process.env);
  const log = createLog(logLevel).in('reset-admin');
  const { resetAdmin } = await import('../reset-admin.ts');
  const { DataFolderError } = await import('../store/data-folder.ts');
  try {
    await resetAdmin(dataDir, log);
    log.warn('Admin has another password; sessions and access tokens of Admin have ended', { dataDir });
    return 0;
  } catch (error) {
    if (isNoSpace(error)) return fail(log, noSpaceAtStart(dataDir), exitCodes.dataFolder);
    if (error instanceof DataFolderError) return fail(log, error.message, exitCodes.dataFolder);
    if (error instanceof HubError) return fail(log, error.message, exitCodes.badSettings);
    throw error;
  }
}
