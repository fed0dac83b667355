/** Runs chronyc, the client of chrony. */
import { existsSync } from 'node:fs';
import { timing } from '../../timing.ts';
import { MissingPart } from '../missing-part.ts';

const program = '/usr/bin/chronyc';

/** Returns what it printed. Throws MissingPart if it is not installed or cannot talk to chrony. */
export async function chronyc(...args: readonly string[]): Promise<string> {
  if (!existsSync(program)) throw new MissingPart('chrony', 'absent', 'the package chrony is not installed');
  const child = Bun.spawn([program, ...args], {
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'ignore', env: {}, cwd: '/' },
    ...{ timeout: timing.helper.chronycMs, killSignal: 'SIGKILL' },
  });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) === 0) return output;
  if (child.signalCode !== null) throw new MissingPart('chrony', 'silent', 'chrony does not answer in time');
  if (/Cannot talk|Not authorised|No suitable/i.test(output)) {
    throw new MissingPart('chrony', 'absent', 'chrony does not run, or does not answer this user');
  }
  throw new MissingPart('chrony', 'refused', `chronyc failed: ${output.trim().slice(0, 200)}`);
}
