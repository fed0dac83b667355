import { afterAll, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';

const { call, remove } = await composedHub({ isSetUp: false, env: { SIGNALBOX_HOSTS: 'hub.example.org' } });
afterAll(remove);

const status = async (host: string) => (await call('/api/setup', { headers: { host } })).status;

test.each([
  ...['192.0.2.7', '192.0.2.7:8880', '[2001:db8::7]:8880', 'localhost:8880', 'signalbox', 'signalbox.local:80'],
  ...['hub.studio.lan', 'HUB.Example.ORG', 'hub.example.org.:8880'],
])('%s is served', async (host) => expect(await status(host)).toBe(200));

test.each([
  'evil.example',
  'evil.example:8880',
  'local.evil.example',
  'hub.example.org.evil.example',
  'evil.local.example',
  '',
  ...['127.0.0.1/x', '127.0.0.1:8880/x', 'localhost?x', 'localhost#x', 'evil@localhost', 'localhost\\x'],
])('the name “%s” is refused', async (host) => expect(await status(host)).toBe(421));

test('a page that rebinds its name to the hub cannot set the first password', async () => {
  const headers = { host: 'evil.example:8880', origin: 'http://evil.example:8880', 'sec-fetch-site': 'same-origin' };
  const response = await call('/api/setup', { method: 'POST', body: { password: 'theirs' }, headers });
  expect(response.status).toBe(421);
  expect(await (await call('/api/setup', {})).json()).toMatchObject({ result: 0, needed: true });
});
