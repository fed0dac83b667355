/** The request with which an authority signs a certificate for this hub. Its key never leaves the hub. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { CertificateSubject } from '../contract/certificate-fields.ts';
import { replaceFile } from '../lib/durable-file.ts';
import { HubError } from '../lib/hub-error.ts';
import { requestWithKey } from './openssl.ts';

const maxCommonName = 64;
const newKeys = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  rsa: ['-newkey', 'rsa:3072'],
} as const;

/** `dir`: of the hub's user alone. */
export function openCertificateRequest(dir: string) {
  const file = join(dir, 'request.key');
  return {
    /** Makes a new key and returns the request in PEM. The key of an earlier request is replaced. */
    async make(subject: CertificateSubject): Promise<string> {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const made = await requestWithKey(['-new', '-utf8', ...newKeys[subject.key ?? 'ec']], requestConfig(subject));
      if ('reason' in made) throw new HubError('ioFailed', made.message);
      replaceFile(file, made.key);
      return made.pem;
    },
    /** The key of the last request, in PEM; undefined if there is none. */
    key: (): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    /** When the last request was made, in milliseconds since 1970; undefined if its certificate is installed. */
    madeAt: (): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtime.getTime(),
    forget: (): void => rmSync(file, { force: true }),
  };
}

function requestConfig({ names, ...subject }: CertificateSubject): string {
  const [first = ''] = names;
  const rows = {
    ...{ C: subject.country, ST: subject.state, L: subject.locality, O: subject.organization },
    CN: first.length <= maxCommonName ? first : undefined,
  };
  const lines = Object.entries(rows).flatMap(([name, value]) => (value ? [`${name} = ${plain(value)}`] : []));
  const list = names.map((name, at) => `${isIP(name) === 0 ? 'DNS' : 'IP'}.${at + 1} = ${name}`);
  return `
[req]
prompt = no
string_mask = utf8only
distinguished_name = name
req_extensions = server
[name]
${lines.join('\n')}
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = @names
[names]
${list.join('\n')}
`;
}

/** The file has signs with a meaning of their own, such as `$` and `#`; after a backslash they stand for themselves. */
function plain(value: string): string {
  return value.replaceAll(/[^\p{L}\p{M}\p{N} ]/gu, String.raw`\$&`);
}
