import { afterAll, afterEach, expect, test } from 'bun:test';
import { privateAllowed, privateRefused } from '../../../tests/support/outgoing.ts';
import {
  makeTestCertificate,
  type SmtpDouble,
  type SmtpDoubleOptions,
  startSmtpDouble,
} from '../../../tests/support/smtp-double.ts';
import { createOutgoing, systemLookup } from '../../lib/outgoing.ts';
import { timing } from '../../timing.ts';
import { type MailServer, sendMail } from './send-mail.ts';

const certificate = makeTestCertificate();
afterAll(certificate.remove);
let double: SmtpDouble | undefined;
afterEach(() => double?.close());

const login = { user: 'hub', password: 'open sesame' };

async function attempt(
  options: SmtpDoubleOptions,
  change: Partial<MailServer> = {},
  { rules = privateAllowed, stepMs = 2000, sendMs = 5000 } = {},
) {
  double = await startSmtpDouble(options, certificate);
  const server: MailServer = {
    ...{ enabled: true, host: '127.0.0.1', port: double.port, encryption: 'none', user: '', password: '' },
    ...{ from: 'hub@example.org', to: ['noc@example.org', 'ann@example.org'], ...change },
  };
  const outgoing = createOutgoing({ rules: () => rules, lookup: systemLookup, ...timing.outgoing });
  return await sendMail(
    server,
    { subject: 'Schluß: 无声音', text: 'Kein Ton\n.\nEnde' },
    {
      ...{ outgoing, signal: new AbortController().signal, times: { stepMs, sendMs } },
    },
  );
}

test('a mail reaches every recipient after signing in', async () => {
  expect(await attempt({ tls: 'none', login }, { user: 'hub', password: 'open sesame' })).toEqual({
    ok: true,
    code: 0,
  });
  expect(double?.mails).toMatchObject([
    { from: 'hub@example.org', to: ['noc@example.org', 'ann@example.org'], isSignedIn: true, isSecure: false },
  ]);
  expect(double?.mails[0]?.data).toContain('Auto-Submitted: auto-generated');
});

test('a wrong password is refused, and named as the cause', async () => {
  const ended = await attempt({ tls: 'none', login }, { user: 'hub', password: 'wrong one' });
  expect(ended).toEqual({ ok: false, code: 535, reason: 'authRefused' });
  expect(double?.mails).toEqual([]);
});

test('a server without STARTTLS gets neither password nor mail', async () => {
  const sent = await attempt({ tls: 'none', login }, { ...login, encryption: 'starttls' });
  expect(sent).toMatchObject({ ok: false, reason: 'tlsFailed' });
  expect(double?.mails).toEqual([]);
});

test.each(['starttls', 'tls'] as const)(
  'a server with %s whose certificate is not trusted gets no mail',
  async (encryption) => {
    const sent = await attempt({ tls: encryption, login }, { ...login, encryption });
    expect(sent).toEqual({ ok: false, code: 0, reason: 'tlsFailed' });
    expect(double?.mails).toEqual([]);
  },
);

test('TLS to a server that speaks none fails as TLS', async () => {
  expect(await attempt({ tls: 'none' }, { encryption: 'tls' })).toMatchObject({ ok: false, reason: 'tlsFailed' });
});

test('refused recipients are named; the others get the mail', async () => {
  expect(await attempt({ tls: 'none', refuses: ['ann@example.org'] })).toEqual({
    ...{ ok: false, code: 0, reason: 'recipientRefused', refused: ['ann@example.org'] },
  });
  expect(double?.mails).toMatchObject([{ to: ['noc@example.org'] }]);
  double?.close();
  const all = ['ann@example.org', 'noc@example.org'];
  expect(await attempt({ tls: 'none', refuses: all })).toMatchObject({
    ok: false,
    code: 550,
    reason: 'recipientRefused',
  });
  expect(double?.mails).toEqual([]);
});

test('a server that wants a sign-in refuses the sender', async () => {
  expect(await attempt({ tls: 'none', login })).toEqual({ ok: false, code: 530, reason: 'senderRefused' });
});

test('a closed port, a silent server and an address that is not allowed are told apart', async () => {
  expect(await attempt({ tls: 'none' }, { port: 1 })).toEqual({ ok: false, code: 0, reason: 'refused' });
  double?.close();
  const silent = { tls: 'none', isSilent: true } as const;
  expect(await attempt(silent, {}, { stepMs: 50 })).toEqual({ ok: false, code: 0, reason: 'timeout' });
  double?.close();
  expect(await attempt(silent, { encryption: 'tls' }, { stepMs: 50 })).toMatchObject({ reason: 'timeout' });
  double?.close();
  const whole = await attempt(silent, {}, { stepMs: 60_000, sendMs: 50 });
  expect(whole).toEqual({ ok: false, code: 0, reason: 'timeout' });
  double?.close();
  expect(await attempt({ tls: 'none' }, {}, { rules: privateRefused })).toMatchObject({ reason: 'addressNotAllowed' });
  expect(double?.connections()).toBe(0);
});
