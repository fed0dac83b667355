import { expect, test } from 'bun:test';
import { fireEvent, screen, within } from '@testing-library/react';
import type { CertificateFacts } from '../../../../daemon/contract/certificates.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { InstallPanel } from './InstallPanel.tsx';

const dayMs = 86_400_000;
const facts: CertificateFacts = {
  ...{ subject: 'CN=hub.test', issuer: 'CN=authority', names: ['hub.test'], fingerprint: 'AA:BB' },
  ...{ 'valid-from': Date.now() - dayMs, 'valid-to': Date.now() + 90 * dayMs },
  ...{ 'self-signed': false, 'made-by-hub': false, intermediates: 1 },
};
const certificate = '-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----';
const key = '-----BEGIN PRIVATE KEY-----\nBB\n-----END PRIVATE KEY-----';
const kept = (hasKey: boolean, change: Partial<CertificateFacts> = {}) => ({
  ...{ result: 0, filename: '0123456789abcdef.crt', certificate: { ...facts, ...change }, 'has-key': hasKey },
});
const keptKey = { result: 0, filename: '0123456789abcdef.pem' };

function show(answers: Readonly<Record<string, object>>) {
  const asked = answerCalls(answers);
  const { container } = renderPage(<InstallPanel requestedAt={undefined} />);
  const choose = (
    part: 'Certificate' | 'Private key',
    ...files: readonly (readonly [name: string, text: string])[]
  ) => {
    const input = within(screen.getByRole('region', { name: part })).getByText('Choose files…');
    const field = input.closest('section')?.querySelector('input');
    if (!field) throw new Error('there is no file field');
    fireEvent.change(field, { target: { files: files.map(([name, text]) => new File([text], name)) } });
  };
  const install = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Install…' });
  return { asked, choose, install, zone: () => container.querySelector('[data-over]') as HTMLElement };
}

test('a file with both parts is sent in two calls, and the pair can be installed', async () => {
  const { asked, choose, install } = show({ '/api/cert/upload': kept(false), '/api/cert/upload-key': keptKey });
  expect(install().disabled).toBe(true);
  choose('Certificate', ['hub.pem', `${certificate}\n${key}`]);
  await screen.findByText('CN=hub.test');
  expect(asked.map(({ path }) => path).toSorted()).toEqual(['/api/cert/upload', '/api/cert/upload-key']);
  expect(install().disabled).toBe(false);
});

test('files that are dropped are told apart by what is in them', async () => {
  const { asked, install, zone } = show({ '/api/cert/upload': kept(false), '/api/cert/upload-key': keptKey });
  const files = [new File([key], 'a.txt'), new File([certificate], 'b.txt')];
  fireEvent.drop(zone(), { dataTransfer: { types: ['Files'], files } });
  await screen.findByText('CN=hub.test');
  await screen.findByText('a.txt');
  expect(asked).toHaveLength(2);
  expect(install().disabled).toBe(false);
});

test('no key is needed for a certificate whose key the hub has', async () => {
  const { choose, install } = show({ '/api/cert/upload': kept(true) });
  choose('Certificate', ['hub.crt', certificate]);
  await screen.findByText('The hub has the key of this certificate. No file is needed.');
  expect(install().disabled).toBe(false);
});

test('without its key a certificate cannot be installed', async () => {
  const { choose, install } = show({ '/api/cert/upload': kept(false) });
  choose('Certificate', ['hub.crt', certificate]);
  await screen.findByText('CN=hub.test');
  expect(install().disabled).toBe(true);
});

test.each([
  [
    'encrypted',
    'The private key is protected by a passphrase. Remove the passphrase, for example with openssl pkey, and choose the file again.',
  ],
  ['noKey', 'The file has no private key in PEM format.'],
])('the reason for which the hub refuses a key is at its file: %s', async (what, text) => {
  const { choose } = show({ '/api/cert/upload-key': { result: -103, message: '', params: { what } } });
  choose('Private key', ['hub.key', key]);
  const fault = await within(screen.getByRole('region', { name: 'Private key' })).findByRole('alert');
  expect(fault.textContent).toBe(text);
});

test('a file that is too large is not sent', async () => {
  const { asked, choose } = show({});
  choose('Private key', ['hub.key', 'x'.repeat(70_000)]);
  const fault = await within(screen.getByRole('region', { name: 'Private key' })).findByRole('alert');
  expect(fault.textContent).toBe('The file is too large for a certificate or a key.');
  expect(asked).toEqual([]);
});

test.each([
  ['names other hosts', { names: ['other.test'] }, 'The certificate does not name hub.test'],
  ['has expired', { 'valid-to': Date.now() - dayMs }, 'The certificate has expired'],
  ['ends soon', { 'valid-to': Date.now() + 5.5 * dayMs }, 'The certificate expires in 5 days'],
])('a warning is shown for a certificate that %s', async (_, change, text) => {
  const { choose } = show({ '/api/cert/upload': kept(true, change) });
  choose('Certificate', ['hub.crt', certificate]);
  await screen.findByText(text);
});
