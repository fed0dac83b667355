/** A certificate of a chain of authorities, and files that look like it but that no hub may install. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CertificateChain {
  readonly root: string;
  readonly intermediate: string;
  /** Issued by the intermediate one. */
  readonly leaf: string;
  readonly key: string;
  /** The same key under a passphrase, in the present and in the older format. */
  readonly encryptedKeys: readonly string[];
  /** Of the same key, signed by itself. */
  readonly expired: string;
  readonly der: Uint8Array<ArrayBuffer>;
  /** As an authority: returns the certificate for a request, with the names in it. */
  sign(request: string): Promise<string>;
}

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const ofHub = ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost', '-addext', 'basicConstraints=critical,CA:FALSE'];

export async function makeChain(folder: string): Promise<CertificateChain> {
  const file = (name: string) => join(folder, name);
  const text = (name: string) => readFileSync(file(name), 'utf8');
  const make = async (name: string, issuer: string | undefined, ...rest: string[]) => {
    const signed = issuer === undefined ? [] : ['-CA', file(`${issuer}.pem`), '-CAkey', file(`${issuer}.key`)];
    const subject = ['-subj', `/CN=${name}`, '-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    await run('openssl', 'req', '-x509', ...curve, '-days', '2', ...subject, ...signed, ...rest);
  };
  await make('root', undefined);
  await make('intermediate', 'root');
  await make('leaf', 'intermediate', ...ofHub);
  const key = ['-key', file('leaf.key')];
  const old = ['req', '-x509', ...key, '-days', '1', '-subj', '/CN=expired', '-out', file('expired.pem'), ...ofHub];
  await run('faketime', '-f', '-3d', 'openssl', ...old);
  const secret = ['-in', file('leaf.key'), '-aes256', '-passout', 'pass:secret'];
  await run('openssl', 'pkey', ...secret, '-out', file('encrypted.key'));
  await run('openssl', 'ec', ...secret, '-out', file('old-encrypted.key'));
  await run('openssl', 'x509', '-in', file('leaf.pem'), '-outform', 'der', '-out', file('leaf.der'));
  return {
    ...{ root: text('root.pem'), intermediate: text('intermediate.pem'), leaf: text('leaf.pem') },
    ...{ key: text('leaf.key'), expired: text('expired.pem') },
    encryptedKeys: [text('encrypted.key'), text('old-encrypted.key')],
    der: new Uint8Array(readFileSync(file('leaf.der'))),
    async sign(request) {
      writeFileSync(file('request.pem'), request);
      const authority = ['-CA', file('intermediate.pem'), '-CAkey', file('intermediate.key'), '-CAcreateserial'];
      const signed = ['-in', file('request.pem'), '-out', file('signed.pem'), '-days', '2', '-copy_extensions', 'copy'];
      await run('openssl', 'x509', '-req', ...signed, ...authority);
      return text('signed.pem');
    },
  };
}

async function run(...command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' });
  const output = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${output}`);
}
