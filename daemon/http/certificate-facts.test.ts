import { expect, test } from 'bun:test';
import { certificateFacts } from './certificate-facts.ts';

function made(subject: string, names: string): string {
  const args = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-keyout', '/dev/null'];
  const named = ['-subj', subject, '-addext', `subjectAltName=${names}`];
  const { exitCode, stdout } = Bun.spawnSync(['openssl', 'req', '-x509', ...args, ...named]);
  expect(exitCode).toBe(0);
  return stdout.toString();
}

test('names are those of the certificate, with addresses in their shortest form', () => {
  const facts = certificateFacts(
    made('/C=DE/O=Studio/CN=hub', 'DNS:hub,DNS:*.example.org,IP:192.0.2.7,IP:2001:db8::7'),
  );
  expect(facts).toMatchObject({ subject: 'CN=hub, O=Studio, C=DE', 'self-signed': true, 'made-by-hub': false });
  expect(facts.names).toEqual(['hub', '*.example.org', '192.0.2.7', '2001:db8::7']);
  expect(facts['valid-to'] - facts['valid-from']).toBe(2 * 86_400_000);
});

test('only host names and addresses count as names', () => {
  const { names } = certificateFacts(made('/CN=hub', 'DNS:hub,email:a@example.org,URI:https://a.example'));
  expect(names).toEqual(['hub']);
});

test('the certificates behind the first one are counted', () => {
  const pem = made('/CN=hub', 'DNS:hub');
  expect(certificateFacts(pem + made('/CN=ca', 'DNS:ca')).intermediates).toBe(1);
  expect(() => certificateFacts('nonsense')).toThrow('no certificate in PEM');
});
