/** Programs of the system, which the helper runs with fixed arguments or checked ones. */
import { existsSync } from 'node:fs';
import { HelperRefusal } from '../../appliance/helper/operations.ts';
import { timing } from '../../timing.ts';

export const hasSystemd = (): boolean => existsSync('/run/systemd/system');

/** A program failed. */
export class ProgramFault extends HelperRefusal {
  /** What ended it. */
  readonly signal: Bun.Subprocess['signalCode'];

  constructor(message: string, signal: ProgramFault['signal']) {
    super('failed', message);
    this.signal = signal;
  }
}

/** Throws ProgramFault unless the program succeeds. */
export async function run(program: string, args: readonly string[]): Promise<void> {
  await outputOf(program, args);
}

/** Does the same, and resolves with the output of the program. */
export async function outputOf(program: string, args: readonly string[]): Promise<string> {
  const child = Bun.spawn([program, ...args], {
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', env: {}, cwd: '/' },
    ...{ timeout: timing.helper.systemMs, killSignal: 'SIGKILL' },
  });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) === 0) return output;
  const [reason = ''] = errors.split('\n').filter((line) => line.trim() !== '');
  const { signalCode } = child;
  throw new ProgramFault(
    `the system refused: ${reason.slice(0, 200) || (signalCode ?? 'no reason given')}`,
    signalCode,
  );
}
