/** FFmpeg child processes: minimal rights, a memory limit, guaranteed termination. */

import type { Subprocess } from 'bun';
import { confined, type Rights, systemPrograms } from '../../lib/confined.ts';
import { timing } from '../../timing.ts';

/** Limit of the address space; an encoder needs about 0.4 GB of it. */
const addressSpaceBytes = 2 ** 31;

/** Needed to run FFmpeg. */
export interface FfmpegTools {
  /** Returns undefined while FFmpeg is unavailable. */
  readonly ffmpeg: () => string | undefined;
  readonly socketPath: (name: string) => string;
}

/**
 * Returns a command that ends with our process, has only these rights, and cannot exhaust the machine's memory. It may
 * run system programs, because SIGNALBOX_FFMPEG may name a script that ends with `exec ffmpeg "$@"`.
 */
export function confinedFfmpeg(command: readonly string[], rights: Rights): string[] {
  const limits = { addressSpace: addressSpaceBytes, files: 256, ...rights.limits };
  return confined(command, { ...rights, run: systemPrograms, limits });
}

export async function stopChild(child: Subprocess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), timing.ffmpeg.killAfterMs);
  await child.exited;
  clearTimeout(timer);
}
