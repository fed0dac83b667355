/** A certificate of an authority that the hub is configured to trust, and an untrusted one; both for 127.0.0.1. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Pair {
  readonly key: string;
  readonly cert: string;
}
export interface Certificates {
  /** Path of the authority's certificate. */
  readonly authority: string;
  readonly server: Pair;
  readonly stranger: Pair;
}

const names = ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];

export async function makeCertificates(folder: string): Promise<Certificates> {
  const file = (name: string) => join(folder, name);
  const make = async (name: string, ...rest: string[]): Promise<Pair> => {
    const [key, cert] = [file(`${name}.key`), file(`${name}.pem`)];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const subject = ['-subj', `/CN=${name}`, '-keyout', key, '-out', cert];
    const child = Bun.spawn(['openssl', 'req', '-x509', ...curve, ...subject, ...rest], { stderr: 'pipe' });
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  };
  await make('authority');
  const signed = ['-CA', file('authority.pem'), '-CAkey', file('authority.key')];
  const [server, stranger] = await Promise.all([make('server', ...signed, ...names), make('stranger', ...names)]);
  return { authority: file('authority.pem'), server, stranger };
}
