import { afterAll, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { defaultAlarmRules } from '../../contract/alarm-kinds.ts';
import { alarms } from '../../store/schema.ts';

const { call, db, json, signIn, remove } = await composedHub();
afterAll(remove);
const as = await signIn('Admin');
const get = (path: string) => json(`/api/${path}`, { as });
const post = (path: string, body: object) => json(`/api/${path}`, { method: 'POST', body, as });
const details = async () =>
  (await get('log/list')).list.map((one: { action: string; detail: string }) => `${one.action} ${one.detail}`);

const { id } = await post('channel/add', { name: 'Studio' });

test('a channel starts with the default rules; changing one does not affect the others', async () => {
  expect(await get(`alarm/rules?channel=${id}`)).toEqual({ result: 0, rules: defaultAlarmRules, revision: 1 });
  const rules = { 'no-audio': { enable: false, seconds: 5 }, 'bitrate-below': { enable: true, kbps: 500, seconds: 4 } };
  expect(await post('alarm/rules/set', { channel: id, rules })).toEqual({ result: 0, revision: 2 });
  expect((await get(`alarm/rules?channel=${id}`)).rules).toEqual({ ...defaultAlarmRules, ...rules });
  expect(await details()).toContain('alarm.rules Studio: no-audio off, bitrate-below 500 kbit/s, 4 s');
});

test('a copied channel begins with the rules of its original, which then change apart', async () => {
  const copy = (await post('channel/add', { name: 'Copy', 'copy-of': id })).id;
  const rules = async (channel: number) => (await get(`alarm/rules?channel=${channel}`)).rules;
  expect(await rules(copy)).toEqual(await rules(id));
  await post('alarm/rules/set', { channel: copy, rules: { 'no-audio': { enable: true, seconds: 9 } } });
  expect((await rules(id))['no-audio']).toEqual({ enable: false, seconds: 5 });
  await post('channel/del', { id: copy });
});

test('rules are refused with the path of the wrong field', async () => {
  const wrong = { 'no-audio': { enable: true, seconds: 0 }, 'srt-loss': { enable: true, percent: 101 } };
  expect(await post('alarm/rules/set', { channel: id, rules: wrong })).toMatchObject({
    result: 7,
    fields: [
      { path: 'rules.no-audio.seconds', rule: 'range' },
      { path: 'rules.srt-loss.percent', rule: 'range' },
    ],
  });
  expect(await post('alarm/rules/set', { channel: 5, rules: {} })).toMatchObject({ result: 16 });
  expect(await get('alarm/rules?channel=5')).toMatchObject({ result: 16 });
});

test('alarms are exported as a table, filtered by severity', async () => {
  const row = { outputId: 0, outputName: '', threshold: 5, peak: 9, channelId: id, channelName: '=Studio' } as const;
  db.insert(alarms)
    .values([
      { ...row, kind: 'no-audio', raisedAt: 1000, clearedAt: null },
      { ...row, kind: 'no-input', raisedAt: 2000, clearedAt: 3000, seenBy: 'Ann', seenAt: 2500 },
    ])
    .run();
  const at = (time: number) => new Date(time).toISOString();
  const rows = async (query: string) =>
    (await (await call(`/api/alarm/export${query}`, { as })).text()).trim().split('\r\n').slice(1);
  expect(await rows('')).toEqual([
    `${at(2000)},${at(3000)},critical,no-input,'=Studio,,5,9,,Ann,${at(2500)},`,
    `${at(1000)},,warning,no-audio,'=Studio,,5,9,,,,`,
  ]);
  expect(await rows('?severity=warning')).toHaveLength(1);
  expect(await rows('?active=&channel=&severity=')).toHaveLength(2);
  expect((await get('alarm/list?severity=critical')).list).toMatchObject([{ kind: 'no-input', severity: 'critical' }]);
  expect(await get('alarm/list?severity=low')).toMatchObject({ result: 7 });
  db.delete(alarms).run();
});

test('the list has the newest first, filtered by channel and by active alarms; the history can be cleared', async () => {
  const row = { kind: 'no-audio', outputId: 0, outputName: '', threshold: 5, peak: 9 } as const;
  db.insert(alarms)
    .values([
      { ...row, channelId: id, channelName: 'Studio', raisedAt: 1000, clearedAt: 9000 },
      { ...row, channelId: 77, channelName: 'Roof', raisedAt: 2000, clearedAt: 3000 },
      { ...row, channelId: id, channelName: 'Studio', raisedAt: 4000, clearedAt: null },
    ])
    .run();
  const raised = async (query: string) =>
    (await get(`alarm/list${query}`)).list.map((one: { raised: number }) => one.raised);
  expect(await raised('')).toEqual([4000, 2000, 1000]);
  expect(await raised('?active=1')).toEqual([4000]);
  expect(await raised(`?channel=${id}&active=0`)).toEqual([1000]);
  expect(await get('alarm/list?start=1&count=1')).toMatchObject({
    start: 1,
    total: 3,
    list: [{ raised: 2000, cleared: 3000 }],
  });
  await post('alarm/clear-history', { channel: id });
  expect(await raised('')).toEqual([4000, 2000]);
  await post('alarm/clear-history', {});
  expect(await raised('')).toEqual([4000]);
});

test('the webhook keeps its secret, and accepts only addresses that it can call', async () => {
  const url = 'https://hooks.example/T1/very-private';
  expect(await post('alarm/webhook/set', { enabled: false, url, secret: 'sesame' })).toEqual({
    result: 0,
    revision: 2,
  });
  expect(await get('alarm/webhook')).toEqual({
    ...{ result: 0, enabled: false, url, 'secret-set': true, waiting: 0, dropped: 0, revision: 2 },
  });
  await post('alarm/webhook/set', { enabled: false, url });
  expect(await get('alarm/webhook')).toMatchObject({ 'secret-set': true });
  const elsewhere = { enabled: false, url: 'https://other.example/T1/very-private' };
  const again = { result: 7, fields: [{ path: 'secret', rule: 'secretAgain' }] };
  expect(await post('alarm/webhook/set', elsewhere)).toMatchObject(again);
  await post('alarm/webhook/set', { enabled: false, url: '' });
  expect(await post('alarm/webhook/set', elsewhere)).toMatchObject(again);
  expect(await post('alarm/webhook/set', { ...elsewhere, secret: 'other' })).toMatchObject({ result: 0 });
  expect(await post('alarm/webhook/set', { enabled: false, url, secret: 'sesame' })).toMatchObject({ result: 0 });
  await post('alarm/webhook/set', { enabled: false, url, secret: '' });
  expect(await get('alarm/webhook')).toMatchObject({ 'secret-set': false });
  for (const wrong of ['ftp://x/', 'file:///etc/passwd', 'http://me:pw@x/', 'nonsense']) {
    expect(await post('alarm/webhook/set', { enabled: true, url: wrong })).toMatchObject({
      ...{ result: 7, fields: [{ path: 'url', rule: 'httpUrl' }] },
    });
  }
  for (const own of ['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://[::ffff:127.0.0.1]/']) {
    expect(await post('alarm/webhook/set', { enabled: true, url: own })).toMatchObject({
      fields: [
        { path: 'url', rule: 'addressNotAllowed', message: expect.stringContaining('outgoing.private-webhook') },
      ],
    });
  }
  expect(await post('alarm/webhook/set', { enabled: true, url: 'http://169.254.169.254/latest' })).toMatchObject({
    fields: [{ path: 'url', rule: 'addressNotAllowed', message: 'the hub never connects to 169.254.169.254' }],
  });
  expect(await post('alarm/webhook/set', { enabled: true, url: '' })).toMatchObject({
    fields: [{ path: 'url', rule: 'required' }],
  });
  const log = (await details()).join('\n');
  expect(log).toContain('settings.set alarm-webhook: address https://hooks.example, secret, enabled false');
  expect(log).not.toMatch(/very-private|sesame/);
});

test('events of a hub with a name carry it', async () => {
  const got: { event: string; hub?: string }[] = [];
  const target = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    async fetch(request) {
      got.push((await request.json()) as { event: string });
      return new Response();
    },
  });
  await post('settings/set', { outgoing: { 'private-webhook': true } });
  const url = `http://127.0.0.1:${target.port}/`;
  expect(await post('alarm/webhook/set', { enabled: true, url })).toMatchObject({ result: 0 });
  await post('alarm/webhook/test', {});
  await post('settings/set', { 'hub-name': 'North OB' });
  await post('alarm/webhook/test', {});
  expect(got.map(({ event, hub }) => [event, hub])).toEqual([
    ['test', undefined],
    ['test', 'North OB'],
  ]);
  await target.stop(true);
});
