/** How far the kernel supports confinement of child processes, as a component of the engine. */
import { resolve } from 'node:path';
import { launcher, nameResolution, systemPrograms } from '../lib/confined.ts';
import { isBelow } from '../media/engine-command.ts';
import type { EnginePart } from '../media/protocol/reported.ts';

const askMs = 2000;

/** Without a reason, confinement is complete; otherwise the reason is `partial` or `none`. */
export function confinementPart(dataDir: string): EnginePart {
  return partOf(askLauncher(), resolve(dataDir));
}

export interface Support {
  /** Landlock ABI version; 0 if the kernel has none. */
  readonly landlock: number;
  readonly seccomp: boolean;
}

function askLauncher(): Support {
  const { stdout } = Bun.spawnSync([launcher, '--support'], { stdin: 'ignore', stderr: 'ignore', timeout: askMs });
  const figure = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stdout.toString())?.[1] ?? 0);
  return { landlock: figure('landlock'), seccomp: figure('seccomp') > 0 };
}

export function partOf({ landlock, seccomp }: Support, dataDir: string): EnginePart {
  const name = 'confinement';
  const open = [...systemPrograms, ...nameResolution].find((folder) => isBelow(dataDir, folder));
  const missing = [...(landlock > 0 ? [] : ['Landlock (Linux 5.13)']), ...(seccomp ? [] : ['seccomp'])];
  if (missing.length === 2) {
    const message = 'Child processes are not confined: the kernel offers neither Landlock nor seccomp';
    return { name, ok: false, reason: 'none', message };
  }
  if (missing.length === 1) {
    const message = `Child processes are confined in part: the kernel does not offer ${missing[0]}`;
    return { name, ok: false, reason: 'partial', message };
  }
  if (open !== undefined) {
    const message = `Child processes can read the data folder, because it lies in ${open}; move it with SIGNALBOX_DATA_DIR`;
    return { name, ok: false, reason: 'partial', message };
  }
  return { name, ok: true, version: `Landlock ${landlock}` };
}
