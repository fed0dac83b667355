import { afterAll, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';

const { json, signIn, remove } = await composedHub();
afterAll(remove);
const as = await signIn('Admin');
const set = (mail: object) => json('/api/settings/set', { method: 'POST', body: { mail }, as });
const shown = async () => (await json('/api/settings/get', { as })).mail;
const fault = (path: string, rule: string) => ({ result: 7, fields: [{ path, rule }] });

const complete = {
  ...{ enabled: true, host: 'mail.example.org', port: 587, encryption: 'starttls', user: 'hub' },
  ...{ from: 'hub@example.org', to: ['noc@example.org'] },
};

test('mails need server, sender, recipients and, with a user, a password before they can be switched on', async () => {
  expect(await set({ enabled: true })).toMatchObject(fault('mail.host', 'required'));
  expect(await set({ enabled: true, host: 'mail.example.org' })).toMatchObject(fault('mail.from', 'required'));
  expect(await set({ ...complete, to: [] })).toMatchObject(fault('mail.to', 'required'));
  expect(await set(complete)).toMatchObject(fault('mail.password', 'required'));
  expect(await set({ user: '', password: 'open sesame' })).toMatchObject(fault('mail.user', 'required'));
  expect(await shown()).toMatchObject({ enabled: false, host: '' });
});

test('nothing that could add a header or a command is an address', async () => {
  const wrong = [
    '',
    'noc',
    'noc@',
    'a@b@c',
    'NOC <noc@example.org>',
    'a@b.c\r\nBcc: x@y.z',
    'a@b.c>',
    'a b@c.d',
    'a@b,c@d',
  ];
  for (const address of wrong) {
    const answer = await set({ to: ['noc@example.org', address] });
    expect([address, answer]).toEqual([address, expect.objectContaining({ result: 7 })]);
    expect(answer.fields[0]).toMatchObject({ path: 'mail.to.1', rule: 'mailAddress' });
    if (address !== '') expect(await set({ from: address })).toMatchObject(fault('mail.from', 'mailAddress'));
  }
  const many = Array.from({ length: 17 }, (_, index) => `n${index}@example.org`);
  expect(await set({ to: many })).toMatchObject(fault('mail.to', 'tooMany'));
  expect(await set({ from: `${'a'.repeat(251)}@b.c` })).toMatchObject({
    fields: [{ path: 'mail.from', rule: 'tooLong' }],
  });
  expect(await set({ host: 'a b' })).toMatchObject(fault('mail.host', 'host'));
  expect(await set({ user: 'hub\r\nMAIL' })).toMatchObject(fault('mail.user', 'characters'));
});

test('the password is never shown, and belongs to one server and its encryption', async () => {
  expect(await set({ ...complete, password: 'open sesame' })).toMatchObject({ result: 0 });
  expect(await shown()).toEqual({ ...complete, 'password-set': true });
  expect(await set({ ...complete, to: ['noc@example.org', 'ann@example.org'] })).toMatchObject({ result: 0 });
  for (const change of [
    { host: 'other.example.org' },
    { port: 25 },
    { encryption: 'none' },
    { host: '', enabled: false },
  ]) {
    expect(await set(change)).toMatchObject(fault('mail.password', 'secretAgain'));
  }
  expect(await set({ port: 465, encryption: 'tls', password: 'sesame two' })).toMatchObject({ result: 0 });
  expect(await set({ user: '' })).toMatchObject({ result: 0 });
  expect(await shown()).toMatchObject({ user: '', 'password-set': false });
  const { list } = await json('/api/log/list', { as });
  const log = JSON.stringify(list);
  expect(log).toContain('mail: on, address mail.example.org:587, recipients noc@example.org');
  expect(log).not.toContain('sesame');
});

test('an address that the outgoing rules refuse is refused', async () => {
  expect(await set({ host: '127.0.0.1' })).toMatchObject({
    fields: [
      { path: 'mail.host', rule: 'addressNotAllowed', message: expect.stringContaining('outgoing.private-webhook') },
    ],
  });
  expect(await set({ host: '169.254.169.254' })).toMatchObject(fault('mail.host', 'addressNotAllowed'));
});

test('without a server, a test is refused', async () => {
  const call = () => json('/api/alarm/mail/test', { method: 'POST', body: {}, as });
  await set({ enabled: false, host: '' });
  expect(await call()).toMatchObject({ result: 38 });
});
