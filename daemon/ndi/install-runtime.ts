/** Stores an uploaded runtime in the hub's own folder after a process has loaded it successfully. */
import { mkdirSync, rmSync } from 'node:fs';
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { renameSynced, syncPath } from '../lib/durable-file.ts';
import { HubError } from '../lib/hub-error.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import { ownRuntimeFolder } from './find-runtime.ts';
import { type ProbeOptions, probeRuntime } from './probe.ts';

/** One after the other: what is tested must be what is installed. */
const inTurn = createSemaphore({ atOnce: 1, longestLine: 8 });

/**
 * Returns the version of the runtime, such as `6.3.2.0`. The file at `path` stays. If the file cannot be used, throws
 * `HubError('verifyFailed')` with the fault as `fault`, and keeps the previous runtime.
 */
export const installRuntime = (path: string, options: ProbeOptions): Promise<string> =>
  inTurn(() => install(path, options));

async function install(path: string, options: ProbeOptions): Promise<string> {
  const folder = ownRuntimeFolder(options.dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Processes that load the library may read its folder, so this must not be the folder of all uploads.
  const candidate = join(folder, 'uploaded');
  rmSync(candidate, { force: true });
  await link(path, candidate);
  try {
    const found = await probeRuntime(candidate, options);
    if ('fault' in found) {
      const detail = found.detail === '' ? '' : ` (${found.detail})`;
      throw new HubError('verifyFailed', `the file cannot be used as NDI runtime: ${found.fault}${detail}`, {
        params: { fault: found.fault, detail: found.detail },
      });
    }
    syncPath(candidate);
    renameSynced(candidate, join(folder, 'libndi.so.6'));
    return found.version;
  } finally {
    rmSync(candidate, { force: true });
  }
}
