/** Loads a file in a separate process to check whether it is a usable runtime: a crash ends only this process. */
import { resolve } from 'node:path';
import type { Log } from '../lib/log.ts';
import { timing } from '../timing.ts';
import { ndiCommand, ndiEnvironment, ndiHome } from './child-command.ts';
import { fileFault } from './find-runtime.ts';
import { NdiProcess } from './ndi-process.ts';
import type { NdiRuntimeFault } from './port.ts';
import { writeRuntimeConfig } from './runtime-config.ts';

export type ProbeResult =
  /** Of the runtime, such as `6.3.2.0`. */
  { readonly version: string } | { readonly fault: NdiRuntimeFault; readonly detail: string };

export interface ProbeOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** Returns the command of the process; by default this program, confined. */
  readonly command?: (library: string, home: string) => readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const defaults = { baseName: '', groups: { send: '', receive: '' }, discovery: { servers: '', extraIps: '' } };

export async function probeRuntime(path: string, options: ProbeOptions): Promise<ProbeResult> {
  const { dataDir, log, command, environment } = options;
  const library = resolve(path);
  const fault = fileFault(library);
  if (fault) return { fault, detail: '' };
  const home = ndiHome(dataDir, 'ndi-probe');
  writeRuntimeConfig(home, defaults);
  const probe = new NdiProcess({
    command: command?.(library, home) ?? ndiCommand('ndi-probe', library, home),
    environment: { ...ndiEnvironment(home), ...environment },
    startMs: timing.ndi.startMs,
    log,
    onMessage: () => undefined,
  });
  const first = await probe.greeting;
  probe.kill('it has answered');
  await probe.closed;
  if (typeof first === 'string') return { fault: 'crashed', detail: first };
  return first.type === 'fault' ? { fault: first.fault, detail: first.detail } : { version: first.version };
}
