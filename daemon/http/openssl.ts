/** Runs the openssl program: certificates and requests are its formats. */
import { timing } from '../timing.ts';

export type OpensslFault = {
  readonly message: string;
  readonly reason: 'certificateFailed' | 'opensslMissing';
};

/**
 * Returns what it printed. The files that it creates can be read by the hub's user alone, from the first byte. `config`
 * is read from its standard input, as the file `/dev/stdin`.
 */
export async function openssl(args: readonly string[], config: string): Promise<string | OpensslFault> {
  const program = Bun.which('openssl');
  if (program === null) {
    return { message: 'the openssl program is missing; install the package openssl', reason: 'opensslMissing' };
  }
  // The umask of the child process makes a key private.
  const child = Bun.spawn(['/bin/sh', '-c', 'umask 077; exec "$0" "$@"', program, ...args], {
    stdin: new TextEncoder().encode(config),
    stdout: 'pipe',
    stderr: 'pipe',
    env: {},
    timeout: timing.web.opensslMs,
    killSignal: 'SIGKILL',
  });
  const [printed, output] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) === 0) return printed;
  const reason = output.trim().split('\n').at(-1) ?? 'no reason given';
  return { message: `openssl could not make a certificate: ${reason}`, reason: 'certificateFailed' };
}
