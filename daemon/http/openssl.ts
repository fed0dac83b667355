/** Runs the openssl program: certificates and requests are its formats. */
import { timing } from '../timing.ts';

export type OpensslFault = {
  readonly message: string;
  readonly reason: 'certificateFailed' | 'opensslMissing';
};

/** What was made together with a key: the certificate, or the request for one. Both in PEM. */
export interface WithKey {
  readonly pem: string;
  readonly key: string;
}

const keyInPem = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----\n[\s\S]+?-----END \1-----\n/;

/** Runs `openssl req` with a new key. Nothing is written to the disk. */
export async function requestWithKey(args: readonly string[], config: string): Promise<WithKey | OpensslFault> {
  const program = Bun.which('openssl');
  if (program === null) {
    return { message: 'the openssl program is missing; install the package openssl', reason: 'opensslMissing' };
  }
  // Without file names, openssl prints the key and the certificate or request.
  const child = Bun.spawn([program, 'req', '-nodes', '-config', '/dev/stdin', ...args], {
    stdin: new TextEncoder().encode(config),
    stdout: 'pipe',
    stderr: 'pipe',
    env: {},
    timeout: timing.web.opensslMs,
    killSignal: 'SIGKILL',
  });
  const [printed, output] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const [key] = keyInPem.exec(printed) ?? [];
  if ((await child.exited) === 0 && key !== undefined) return { key, pem: printed.replace(key, '') };
  const reason = output.trim().split('\n').at(-1) ?? 'no reason given';
  return { message: `openssl could not make a certificate: ${reason}`, reason: 'certificateFailed' };
}
