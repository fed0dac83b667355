import { expect, test } from 'bun:test';
import { screen } from '@testing-library/react';
import type { CertificateFacts } from '../../../../daemon/contract/certificates.ts';
import { maskOf, type Permission } from '../../../../daemon/contract/permission.ts';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { PresentPanel } from './PresentPanel.tsx';

const facts: CertificateFacts = {
  ...{ subject: 'CN=hub.test', issuer: 'CN=authority', names: ['hub.test'], fingerprint: 'AA:BB' },
  ...{ 'valid-from': Date.now() - 86_400_000, 'valid-to': Date.now() + 5.5 * 86_400_000 },
  ...{ 'self-signed': false, 'made-by-hub': false, intermediates: 1 },
};
const web: Settings['web'] = {
  ...{ 'http-port': 80, 'enable-https': true, 'https-port': 443, 'redirect-https': false, hsts: false },
  ...{ 'is-cert-valid': true, 'is-cert-key-valid': true },
};

function show(
  certificate: CertificateFacts | undefined,
  change: Partial<Settings['web']> = {},
  as: Permission = 'systemEdit',
) {
  const user = { name: 'ann', id: 2, 'group-name': '', permission: maskOf(as), type: 4 };
  answerCalls({ '/api/session': { result: 0, user } });
  renderPage(<PresentPanel certificate={certificate} web={{ ...web, ...change }} />);
}
const back = () => screen.queryByRole<HTMLButtonElement>('button', { name: 'Return to a self-signed certificate…' });

test('the certificate in use is described, with its end', async () => {
  show(facts);
  await screen.findByText('CN=authority (intermediate certificates: 1)');
  expect(screen.getByText('The certificate expires in 5 days')).toBeTruthy();
  expect(back()?.disabled).toBe(false);
});

test('the hub renews its own certificate, which is not returned to', async () => {
  show({ ...facts, 'made-by-hub': true, 'self-signed': true });
  await screen.findByText('Self-signed: this hub created it and renews it automatically');
  expect([back(), screen.queryByText(/expires in/)]).toEqual([null, null]);
});

test('under HSTS, and for users who may not edit settings, there is no way back to a self-signed one', async () => {
  show(facts, { hsts: true });
  await screen.findByText('To use a self-signed certificate, switch HSTS off first.');
  expect(back()?.disabled).toBe(true);
  show(facts, {}, 'systemView');
  await screen.findByText('CN=hub.test');
  expect(back()).toBeNull();
});

test.each([
  ['one that is damaged', undefined, {}, 'The stored certificate is damaged'],
  ['none', undefined, { 'enable-https': false }, 'There is none yet. The hub makes one when HTTPS is switched on.'],
  ['one with another key', facts, { 'is-cert-key-valid': false }, 'The private key does not match the certificate'],
])('the page says so if there is %s', async (_, certificate, change, text) => {
  show(certificate, change);
  await screen.findByText(text);
});
