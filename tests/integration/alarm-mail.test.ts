/** Alarm mails of a real hub, sent over TLS and STARTTLS to a double of a mail server whose certificate the hub trusts. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { MailAttempt } from '../../daemon/contract/alarms.ts';
import type { MailEncryption } from '../../daemon/contract/settings-fields.ts';
import { makeTestCertificate, type SmtpDouble, startSmtpDouble } from '../support/smtp-double.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(60_000);

const login = { user: 'hub@example.org', password: 'Zq7 right password' };
const wrongPassword = 'Zq7 wrong password';
const certificate = makeTestCertificate();
let hub: HubProcess;
let starttls: SmtpDouble;
let tls: SmtpDouble;
beforeAll(async () => {
  starttls = await startSmtpDouble({ tls: 'starttls', login }, certificate);
  tls = await startSmtpDouble({ tls: 'tls', login }, certificate);
  hub = await startHub({ timeDivisor, env: { NODE_EXTRA_CA_CERTS: certificate.file } });
  await hub.login();
  await hub.api('/api/settings/set', { outgoing: { 'private-webhook': true } });
});
afterAll(async () => {
  await hub.stop();
  starttls.close();
  tls.close();
  certificate.remove();
});

async function set(encryption: MailEncryption, { port }: SmtpDouble, password: string): Promise<void> {
  const server = { host: 'localhost', port, encryption, user: login.user, password };
  const mail = { enabled: true, ...server, from: 'hub@example.org', to: ['noc@example.org', 'ann@example.org'] };
  await hub.api('/api/settings/set', { mail });
}
const attempt = () => hub.api<MailAttempt>('/api/alarm/mail/test', {});

test('a test mail goes out over STARTTLS and over TLS; a wrong password is named as the cause', async () => {
  for (const [encryption, server] of [['starttls', starttls] as const, ['tls', tls] as const]) {
    await set(encryption, server, wrongPassword);
    expect(await attempt()).toMatchObject({ ok: false, code: 535, reason: 'authRefused' });
    expect(server.mails).toEqual([]);
    await set(encryption, server, login.password);
    expect(await attempt()).toMatchObject({ ok: true, code: 0 });
    expect(server.mails).toMatchObject([
      { from: 'hub@example.org', to: ['noc@example.org', 'ann@example.org'], isSecure: true, isSignedIn: true },
    ]);
  }
});

test('an alarm that the server did not take is mailed by the hub that starts after a kill', async () => {
  await set('starttls', starttls, login.password);
  starttls.mails.length = 0;
  starttls.answers.push(...Array.from({ length: 100 }, () => '451 4.3.0 not now'));
  const before = starttls.connections();
  process.kill(await hub.enginePid(), 'SIGKILL');
  await until(() => hub.logs().includes('alarms were not delivered'), 30_000, 'the mail is refused');
  expect(starttls.connections()).toBeGreaterThan(before);
  await hub.kill('SIGKILL');
  starttls.answers.length = 0;
  await hub.restart();
  await until(() => starttls.mails.length > 0, 30_000, 'the mail arrives');
  const [mail] = starttls.mails;
  expect(mail?.isSecure).toBe(true);
  expect(mail?.data).toMatch(/^Subject: \S*Signalbox/m);
  expect(mail?.data).toContain('Alarm: Media engine');
});

test('no password is in the log, the settings or the operation log', async () => {
  await hub.login();
  const [settings, operations, system] = await Promise.all(
    ['/api/settings/get', '/api/log/list', '/api/syslog/list'].map((path) => hub.answer(path)),
  );
  const all = JSON.stringify([settings, operations, system, hub.logs()]);
  expect(all).toContain('"password-set":true');
  expect(all).not.toContain(login.password);
  expect(all).not.toContain(wrongPassword);
  expect(all).not.toContain(Buffer.from(`\0${login.user}\0${login.password}`).toString('base64'));
});
