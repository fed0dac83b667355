import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesLookup, privateAllowed, privateRefused } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import type { Alarm } from '../../contract/alarms.ts';
import { createLog } from '../../lib/log.ts';
import { createOutgoing } from '../../lib/outgoing.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { openSecrets } from '../../store/secrets.ts';
import { timing } from '../../timing.ts';
import { signatureOf } from './post-event.ts';
import { type AlarmWebhook, createWebhook } from './webhook.ts';

interface Got {
  readonly body: string;
  readonly headers: Headers;
}

const folder = mkdtempSync(join(tmpdir(), 'signalbox-webhook-'));
const secrets = openSecrets(join(folder, 'key'));
rmSync(folder, { recursive: true });

let got: Got[];
let statuses: number[];
let arrived: () => void;
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    got.push({ body: await request.text(), headers: request.headers });
    arrived();
    const status = statuses.shift() ?? 200;
    return new Response('x', { status, ...(status === 302 && { headers: { location: '/elsewhere' } }) });
  },
});
const url = `http://127.0.0.1:${server.port}/hook`;
let open: AlarmWebhook[];
beforeEach(() => {
  got = [];
  statuses = [];
  arrived = () => {};
  open = [];
});
afterEach(() => {
  for (const webhook of open) webhook.close();
});

const alarm: Alarm = {
  ...{
    id: 3,
    kind: 'no-audio',
    severity: 'warning',
    channel: 100_001,
    name: 'Studio',
    threshold: 5,
    peak: 5,
    raised: 1,
    cleared: 0,
  },
};

const outgoingTo = (names: Readonly<Record<string, readonly string[]>>, rules = privateAllowed) =>
  createOutgoing({ rules: () => rules, lookup: namesLookup(names), ...timing.outgoing });

function create(db = memoryDatabase(), { firstMs = 1, room = 3, outgoing = outgoingTo({}) } = {}): AlarmWebhook {
  const times = { firstRetryMs: firstMs, maxRetryMs: firstMs * 4 };
  const log = createLog('error', () => {});
  const about = () => ({ time: Date.now(), hub: 'North OB' });
  const webhook = createWebhook({ db, secrets, log, now: Date.now, times, room, outgoing, about });
  open.push(webhook);
  return webhook;
}

const body = (event: 'raised' | 'cleared', of: Alarm = alarm) => JSON.stringify({ event, time: 5, alarm: of });

async function count(desired: number): Promise<void> {
  while (got.length < desired) await new Promise<void>((resolve) => (arrived = resolve));
}
test('an event is signed over its time and body, and retried until it is accepted', async () => {
  const db = memoryDatabase();
  const webhook = create(db);
  webhook.change(db, { enabled: true, url, secret: 'open sesame' });
  statuses = [500, 503];
  webhook.add(db, body('raised'));
  webhook.add(db, body('cleared', { ...alarm, cleared: 2 }));
  webhook.wake({ isNewTarget: false });
  await count(4);
  expect(got.map((one) => JSON.parse(one.body).event)).toEqual(['raised', 'raised', 'raised', 'cleared']);
  expect(JSON.parse(got[0]!.body)).toEqual({ event: 'raised', time: 5, alarm });
  for (const { body: sent, headers } of got) {
    const timestamp = headers.get('signalbox-timestamp')!;
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(5);
    expect(headers.get('signalbox-signature')).toBe(signatureOf('open sesame', timestamp, sent));
  }
  expect(new Set(got.map(({ headers }) => headers.get('signalbox-delivery'))).size).toBe(2);
  await until(() => webhook.view().waiting === 0);
  expect(webhook.view()).toMatchObject({ 'secret-set': true, dropped: 0, last: { ok: true, status: 200 } });
  const { last } = webhook.view();
  expect(webhook.view()['last-accepted']).toBe(last?.time);
  expect(JSON.stringify(webhook.view())).not.toContain('sesame');
});

test('undelivered events are still queued after a restart', async () => {
  const db = memoryDatabase();
  const before = create(db, { firstMs: 60_000 });
  before.change(db, { enabled: true, url, secret: undefined });
  statuses = [500];
  before.add(db, body('raised'));
  before.wake({ isNewTarget: false });
  await until(() => before.view()['retry-in-ms'] !== undefined);
  expect(before.view()).toMatchObject({ waiting: 1, last: { ok: false, status: 500, reason: 'notAccepted' } });
  before.close();
  const after = create(db);
  after.wake({ isNewTarget: false });
  await until(() => after.view().waiting === 0);
  expect(got).toHaveLength(2);
  expect(got[1]!.headers.has('signalbox-signature')).toBe(false);
});

test('the oldest events are dropped when too many wait, and counted', () => {
  const db = memoryDatabase();
  const webhook = create(db);
  webhook.change(db, { enabled: true, url, secret: undefined });
  for (let id = 1; id <= 5; id++) webhook.add(db, body('raised', { ...alarm, id }));
  expect(webhook.view()).toMatchObject({ waiting: 3, dropped: 2 });
});

test('no events are queued for a webhook that is off', () => {
  const db = memoryDatabase();
  const webhook = create(db);
  webhook.add(db, body('raised'));
  expect(webhook.view()).toMatchObject({ enabled: false, waiting: 0 });
  webhook.change(db, { enabled: true, url, secret: undefined });
  webhook.add(db, body('raised'));
  webhook.change(db, { enabled: false, url, secret: undefined });
  expect(webhook.view().waiting).toBe(0);
});

test('a test reports its result; redirects are not followed', async () => {
  const db = memoryDatabase();
  const webhook = create(db);
  expect(webhook.test()).rejects.toMatchObject({ result: 'wrongState' });
  webhook.change(db, { enabled: false, url, secret: undefined });
  expect(await webhook.test()).toEqual({ ok: true, status: 200 });
  expect(webhook.view().last).toBeUndefined();
  expect(JSON.parse(got[0]!.body)).toEqual({ event: 'test', time: expect.any(Number), hub: 'North OB' });
  statuses = [302];
  expect(await webhook.test()).toEqual({ ok: false, status: 302, reason: 'redirected' });
  expect(got).toHaveLength(2);
  webhook.change(db, { enabled: false, url: 'http://127.0.0.1:1/', secret: undefined });
  expect(await webhook.test()).toEqual({ ok: false, status: 0, reason: 'refused' });
});

test('an event goes to the address that was checked, and to no address that is not allowed', async () => {
  const db = memoryDatabase();
  const named = `http://hooks.example:${server.port}/hook`;
  const names = { 'hooks.example': ['127.0.0.1', '169.254.169.254'] };
  const webhook = create(db, { outgoing: outgoingTo(names) });
  webhook.change(db, { enabled: true, url: named, secret: undefined });
  expect(await webhook.test()).toEqual({ ok: true, status: 200 });
  expect(got[0]!.headers.get('host')).toBe(`hooks.example:${server.port}`);
  expect(await webhook.test()).toEqual({ ok: false, status: 0, reason: 'addressNotAllowed' });
  const refusing = create(db, { outgoing: outgoingTo(names, privateRefused) });
  expect(await refusing.test()).toEqual({ ok: false, status: 0, reason: 'addressNotAllowed' });
  expect(got).toHaveLength(1);
});
