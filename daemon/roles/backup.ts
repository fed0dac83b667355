/** Copies the data of a hub. */
import { readConfig } from '../config.ts';
import { ConfigError } from '../lib/config-error.ts';
import { createLog } from '../lib/log.ts';
import { isNoSpace } from '../lib/no-space.ts';
import { exitCodes, fail, type Role } from './role.ts';

export const role: Role = {
  help: `It copies the data folder that SIGNALBOX_DATA_DIR names to FOLDER, which must not exist yet: database, key,
certificate and slates, as they are at one moment; firmware files are left out. The hub may be running, and continues. Run it as the user that runs the
hub. To restore, stop the hub and put the copy in place of its data folder.

Exit codes:
  0  the copy is complete
  2  FOLDER is missing, or exists
  3  the data folder can't be read, or FOLDER can't be written
`,
  async run(args) {
    const [target, ...rest] = args;
    if (target === undefined || target.startsWith('-') || rest.length > 0) {
      throw new ConfigError('name one folder for the copy, which must not exist yet');
    }
    const { dataDir, logLevel } = readConfig(process.env);
    const log = createLog(logLevel).in('backup');
    const { backUp } = await import('../store/backup.ts');
    const { DataFolderError } = await import('../store/data-folder.ts');
    try {
      backUp(dataDir, target);
      log.info('the data is copied; the copy contains the key of its secrets, so keep it private', { dataDir, target });
      return 0;
    } catch (error) {
      if (error instanceof DataFolderError) return fail(log, error.message, exitCodes.dataFolder);
      if (isNoSpace(error)) return fail(log, `no space is left for ${target} (ENOSPC)`, exitCodes.dataFolder);
      throw error;
    }
  },
};
