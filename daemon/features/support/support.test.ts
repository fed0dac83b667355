import { afterAll, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { supportFilePath } from '../../contract/calls.ts';
import { md5Of } from '../../lib/password.ts';
import { operationLog } from '../../store/schema.ts';
import { version } from '../../version.ts';

const hub = await composedHub();
afterAll(hub.remove);
const as = await hub.signIn('Admin');

async function download(): Promise<ReadonlyMap<string, string>> {
  const response = await hub.call(supportFilePath, { as });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-disposition')).toMatch(/filename="signalbox-support-\d{8}T\d{4}\.tar\.gz"$/);
  const files = await new Bun.Archive(await response.bytes()).files();
  return new Map(await Promise.all([...files].map(async ([name, file]) => [name, await file.text()] as const)));
}
const entries = () =>
  hub.db
    .select()
    .from(operationLog)
    .all()
    .filter(({ action }) => action === 'system.supportFile').length;

test('the file has version, settings, configuration, state and logs, and none of the secrets', async () => {
  const secrets = [
    'Hidden-push',
    'Hidden-play',
    'Hidden-phrase',
    'Hidden-id',
    'Hidden-mail',
    'Hidden-hook',
    'Hidden-key',
  ];
  const [pushKey, playKey, passphrase, streamId, mailPassword, hook, key] = secrets;
  const config = { 'push-key': pushKey, 'play-key': playKey };
  const { id } = await hub.post('/api/channel/add', { name: 'Studio', config }, as);
  const srt = { mode: 'caller', host: 'cam.example', port: 9000, latency: 120, 'stream-id': streamId, passphrase };
  await hub.post('/api/input/source/add', { name: 'Camera', config: { type: 1, srt } }, as);
  const target = { url: 'rtmp://cdn.example/live', key };
  await hub.post('/api/output/add', { name: 'CDN', config: target, channel: id }, as);
  const mail = { host: 'mail.example', user: 'hub', password: mailPassword, from: 'hub@example.org' };
  await hub.post('/api/settings/set', { mail }, as);
  await hub.post('/api/settings/set', { security: { 'code-value': '9173' } }, as);
  await hub.post('/api/alarm/webhook/set', { enabled: false, url: `https://hooks.example/${hook}` }, as);
  await hub.post('/api/usr/add', { name: 'anna', passwd: md5Of('Hidden-word-1'), 'group-id': 2 }, as);

  const files = await download();
  expect([...files.keys()].toSorted()).toEqual(
    ['configuration', 'events', 'health', 'machine', 'settings', 'state', 'system']
      .map((name) => `${name}.json`)
      .concat('operations.csv', 'system.log')
      .toSorted(),
  );
  const json = (name: string) => JSON.parse(files.get(`${name}.json`) ?? '');
  expect(json('system').system.info['cloud-version']).toBe(version);
  expect(json('settings').mail).toMatchObject({ host: 'mail.example', 'password-set': true });
  expect(json('configuration')).toMatchObject({
    channels: [{ id, name: 'Studio' }],
    inputs: [{ name: 'Camera', config: { protocol: 'srt', host: 'cam.example' } }],
    outputs: [{ name: 'CDN', channelId: id, config: { url: 'rtmp://cdn.example/live' } }],
  });
  expect(json('state')).toMatchObject({ engine: 'running', channels: {} });
  expect(json('health')).toEqual({ ready: true, full: false });
  expect(files.get('operations.csv')).toContain('input.add');
  const all = [...files.values()].join('\n');
  for (const secret of [...secrets, 'Hidden', '9173', md5Of('Hidden-word-1'), '$argon2'])
    expect(all).not.toContain(secret);
});

test('only administrators get it, and each download is in the operation log', async () => {
  const before = entries();
  await download();
  expect(entries()).toBe(before + 1);
  await hub.post('/api/usr/add', { name: 'bert', passwd: md5Of('not-an-admin-1'), 'group-id': 2 }, as);
  const user = await hub.signIn('bert', 'not-an-admin-1');
  expect((await hub.call(supportFilePath, { as: user })).status).toBe(403);
  expect((await hub.call(supportFilePath, {})).status).toBe(401);
  expect(entries()).toBe(before + 1);
});

test('of two at once, one is refused; the next is made again', async () => {
  const answers = await Promise.all([hub.call(supportFilePath, { as }), hub.call(supportFilePath, { as })]);
  expect(answers.map(({ status }) => status)).toEqual([200, 409]);
  await Promise.all(answers.map((answer) => answer.bytes()));
  await download();
});
