/** What all roles of the program share. */
import type { Log } from '../lib/log.ts';

export interface Role {
  /** What `--help` of the role shows below its usage. */
  readonly help: string;
  /** Resolves with the exit code. Throws ConfigError for arguments and settings that cannot be used. */
  run(args: string[]): Promise<number>;
}

/** 0 is a clean stop. */
export const exitCodes = { fault: 1, badSettings: 2, dataFolder: 3, httpPort: 4 } as const;

export function noSpaceAtStart(dataDir: string): string {
  const remedy = 'make room on its disk, or choose another folder with SIGNALBOX_DATA_DIR';
  return `no space is left on the data folder ${dataDir} (ENOSPC); ${remedy}`;
}

export function fail(log: Log, message: string, code: number): number {
  log.error(message, { 'exit-code': code });
  return code;
}
