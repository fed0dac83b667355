/** Self-signed certificates as devices have them: with the name of the device, not its address, and often expired. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface DeviceCertificate {
  readonly cert: string;
  readonly key: string;
  /** SHA-256: 64 hexadecimal digits in lower case. */
  readonly fingerprint: string;
}

export function makeDeviceCertificate(name: string, { expired = false } = {}): DeviceCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-device-'));
  const [csr, key, pem] = ['csr', 'key', 'pem'].map((kind) => join(folder, kind)) as [string, string, string];
  const run = (...args: string[]) => {
    const { success, stderr } = Bun.spawnSync(['openssl', ...args], { stderr: 'pipe' });
    if (!success) throw new Error(stderr.toString());
  };
  try {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    run('req', '-new', ...curve, '-subj', `/CN=${name}`, '-keyout', key, '-out', csr);
    run('x509', '-req', '-in', csr, '-signkey', key, '-days', expired ? '-1' : '2', '-out', pem);
    const cert = readFileSync(pem, 'utf8');
    const fingerprint = new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();
    return { cert, key: readFileSync(key, 'utf8'), fingerprint };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
