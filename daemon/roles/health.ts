/** Reports whether the hub is ready, for a container engine or a script. */
import { readConfig } from '../config.ts';
import { readPortsFile } from '../store/ports-file.ts';
import { timing } from '../timing.ts';
import { exitCodes, type Role } from './role.ts';

export const role: Role = {
  help: `It asks the hub whose data folder SIGNALBOX_DATA_DIR names, and prints one line: the URL of the console, or why
the hub is not ready.

Exit codes:
  0  the hub is ready
  1  it does not run, does not answer within 5 s, or is not ready yet
`,
  async run() {
    const { dataDir, bind } = readConfig(process.env);
    const places = readPortsFile(dataDir);
    const fault =
      places === undefined ? `no hub runs on the data folder ${dataDir}` : await healthFault(bind, places.http);
    process.stdout.write(`${fault ?? places?.console}\n`);
    return fault === undefined ? 0 : exitCodes.fault;
  },
};

/** Returns undefined if the hub is ready. */
async function healthFault(bind: string, port: number): Promise<string | undefined> {
  const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[bind] ?? (bind.includes(':') ? `[${bind}]` : bind);
  try {
    const signal = AbortSignal.timeout(timing.health.answerMs);
    const { ok } = await fetch(`http://${host}:${port}/api/health`, { signal });
    return ok ? undefined : 'the hub starts: its listeners are not open yet';
  } catch (error) {
    return `the hub does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}
