/** What supervisors of processes that load the NDI library have in common. */
import type { Attempt, Child } from '../process/supervisor.ts';
import { type Greeting, type LoadFault, NdiProcess, type NdiProcessOptions } from './ndi-process.ts';

interface Started {
  readonly link: NdiProcess;
  readonly greeting: Greeting | LoadFault;
}

/** Waits for the first message of the process; returns the reason if the process ended without one. */
export async function startNdiProcess(options: NdiProcessOptions, closing: AbortSignal): Promise<Started | string> {
  const link = new NdiProcess(options);
  const abort = () => link.kill('stopped');
  closing.addEventListener('abort', abort, { once: true });
  const greeting = await link.greeting;
  closing.removeEventListener('abort', abort);
  return typeof greeting === 'string' ? greeting : { link, greeting };
}

export function ndiChild(open: (attempt: Attempt) => Promise<NdiProcess | string>): Child<NdiProcess> {
  const end = async (link: NdiProcess | undefined, reason: string) => {
    link?.kill(reason);
    await link?.closed;
  };
  return {
    open,
    kill: (link, reason) => link.kill(reason),
    // No orderly shutdown is needed: receivers of an output keep their picture however its process ends.
    stop: end,
    close: end,
  };
}
