/**
 * Feeds every secret that a hub receives or generates to it in every way, including failing ones, then searches
 * everything that it shows, logs or stores for them. Fields that the published API returns are the only exception.
 */
import { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cookieNames } from '../../daemon/contract/auth.ts';
import { supportFilePath } from '../../daemon/contract/calls.ts';
import { eventTopics } from '../../daemon/contract/events.ts';
import { md5Of } from '../../daemon/lib/password.ts';
import { mainProgram } from '../support/main-program.ts';
import { streamEverything } from './every-stream.ts';
import { invitationCode, type SecretName, secrets, type Written, writeEverything } from './every-write.ts';
import { stopFarEnds, webServer } from './fake-peers.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll } from './live-media.ts';
import { type ProcessWatch, read, watchProcesses } from './process-watch.ts';
import { type RawCall, type RawResponse, rawCall } from './raw-call.ts';

setDefaultTimeout(300_000);

let hub: HubProcess;
let written: Written;
/** Names of the secrets with every form in which they might appear. */
let known: ReadonlyMap<string, readonly string[]>;
let processes: ProcessWatch;

/** Published response members, which users with edit permission get. */
const ofSources: readonly SecretName[] = ['outputKey', 'playKey', 'inputId', 'outputId', 'urlToken'];
const shownToEditors: Readonly<Record<string, readonly SecretName[]>> = {
  '/api/channel/dashboard': ['pushKey', 'playKey'],
  '/api/channel/query': ['pushKey', 'playKey'],
  '/api/events': ['pushKey', 'playKey'],
  '/api/input/source/list': ofSources,
  '/api/output/list': ofSources,
  '/api/preset/list': ofSources,
  '/api/alarm/webhook': ['webhookPath'],
};
const showsCode = '/api/settings/get';
/** Shown to everyone who may view the channel. */
const shownToViewers: readonly SecretName[] = ['playKey'];
/** Those stored in the database in clear text. */
const inDatabase: readonly string[] = ['pushKey', 'playKey'] satisfies SecretName[];
/** Not part of a number or a request id. */
const codeAlone = new RegExp(`(?<![\\w.-])${invitationCode}(?![\\w-])`);

function formsOf(secret: string): string[] {
  const md5 = md5Of(secret);
  const login = Buffer.from(`me:${secret}`).toString('base64');
  return [secret, md5, md5.toUpperCase(), Buffer.from(secret).toString('base64').replace(/=+$/, ''), login];
}
/** Returns the names of the secrets found in the text. */
function foundIn(text: string, isMeant: (name: string) => boolean = () => true): string[] {
  const found: string[] = [];
  for (const [name, forms] of known) if (isMeant(name) && forms.some((form) => text.includes(form))) found.push(name);
  return found;
}

beforeAll(async () => {
  hub = await startHub({
    env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router,devices', SIGNALBOX_LOG: 'debug' },
  });
  processes = watchProcesses(hub);
  // Repeats the request, as servers do in error messages.
  const repeating = webServer(async (request) => {
    const echo = JSON.stringify({ ...Object.fromEntries(request.headers), body: await request.text() });
    return new Response(echo, { status: 500, statusText: 'no', headers: { location: '/elsewhere' } });
  });
  written = await writeEverything(hub, repeating.port);
  known = new Map([
    ...Object.entries(secrets).map(([name, secret]) => [name, formsOf(secret)] as const),
    ...Object.entries(written.made).map(([name, secret]) => [name, formsOf(secret)] as const),
    ['sessionOfTest', formsOf(/=(\w+)/.exec(hub.headers().cookie ?? '')?.[1] ?? 'none')],
  ]);
  await failEverywhere();
  await streamEverything({ hub, written, processes, repeatingPort: repeating.port });
});
afterAll(async () => {
  processes.stop();
  await killAll();
  await hub.stop();
  stopFarEnds();
});

/** Responses of failed calls: they must not repeat a secret from the request. */
const failures: string[] = [];

const asAdmin = (call: RawCall) => rawCall(hub, { ...call, headers: { ...hub.headers(), ...call.headers } });
async function attempt(answer: Promise<RawResponse>): Promise<void> {
  const { text, json } = await answer;
  if (json.result !== 0) failures.push(text);
}

async function failEverywhere(): Promise<void> {
  // These end the session of the caller; they fail without one.
  const ending = ['/api/session/end', '/api/logout', '/api/login'];
  const going = written.writes.filter(({ path }) => !ending.includes(path));
  for (const { path, body } of written.writes)
    await attempt(rawCall(hub, { path, body, headers: { cookie: `${cookieNames.sid}=none` } }));
  for (const { path, body } of going) for (const bad of spoilt(body)) await attempt(asAdmin({ path, body: bad }));
  for (const [i, secret] of Object.values(secrets).entries()) await failWith(secret, `127.0.9.${i + 1}`);
  await withBrokenTables(async () => {
    for (const { path, body } of going) await attempt(asAdmin({ path, body }));
  });
}

/** In an unreadable body, and as a name, a password and a proof of identity. */
async function failWith(secret: string, from: string): Promise<void> {
  const path = '/api/channel/enable';
  const type = { 'content-type': 'application/json' };
  for (const body of [secret, `"${secret}"`, `{"id":1,"pass":${secret}}`])
    await attempt(asAdmin({ path, body, headers: type }));
  await attempt(asAdmin({ path, body: '{}', headers: { 'content-type': secret } }));
  for (const body of [
    { id: secret, password: 'x' },
    { id: 'Admin', password: `${secret}x` },
  ])
    await attempt(rawCall(hub, { path: '/api/login', body, from }));
  const headers = { authorization: `Bearer ${secret}`, cookie: `${cookieNames.sid}=${secret}` };
  await attempt(rawCall(hub, { path: '/api/session', headers }));
}

/** The same body with one member of another type, at every depth, and with some unknown members. */
function spoilt(body: object): object[] {
  const secret = JSON.stringify(body).match(/Zq7\w+/)?.[0] ?? secrets.guess;
  const withMember = (name: string) => (value: unknown) => ({ ...body, [name]: value });
  const kinds = (value: unknown): unknown[] => {
    if (Array.isArray(value)) return [secret];
    if (typeof value === 'object' && value !== null) return [[secret], ...spoilt(value)];
    return typeof value === 'string' ? [{ x: value }, [value]] : [secret];
  };
  return [
    ...Object.entries(body).flatMap(([name, value]) => kinds(value).map(withMember(name))),
    { ...body, password: secret, none: secret },
  ];
}

/** Storage fails in the meantime, so that every write is an internal error. */
async function withBrokenTables(work: () => Promise<void>): Promise<void> {
  const db = new Sqlite(join(hub.dataDir, 'hub.sqlite'));
  db.run('PRAGMA busy_timeout = 10000');
  const tables = db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'operation_text%'",
    )
    .all();
  const all = tables.flatMap(({ name }) =>
    ['INSERT', 'UPDATE', 'DELETE'].map((verb) => [`broken_${verb}_${name}`, `${verb} ON ${name}`] as const),
  );
  for (const [trigger, at] of all)
    db.run(`CREATE TRIGGER ${trigger} BEFORE ${at} BEGIN SELECT RAISE(ABORT, 'broken for a test'); END`);
  try {
    await work();
  } finally {
    for (const [trigger] of all) db.run(`DROP TRIGGER ${trigger}`);
    db.close();
  }
}

/** Every read of the API for one user; for streams, the first data. */
async function* answersTo(cookie: string): AsyncGenerator<readonly [path: string, text: string]> {
  const { paths } = await hub.api<{ paths: Record<string, Record<string, { tags?: string[] }>> }>('/api/openapi.json');
  const query = `id=${written.channel}&channel=${written.channel}&count=1000&more=1&history=1&live=1&global-config=1`;
  const reads = Object.keys(paths).filter((path) => 'get' in paths[path]! && path !== '/api/logout');
  for (const path of reads) {
    const url =
      path === '/api/events'
        ? Object.keys(eventTopics).map((topic) => `${path}?topics=${topic}`)
        : [`${path.replace('{id}', String(written.channel)).replace('{file}', 'index.m3u8')}?${query}`];
    for (const one of url) yield [path, await beginningOf(one, cookie)] as const;
  }
}
async function beginningOf(path: string, cookie: string): Promise<string> {
  const stop = new AbortController();
  const response = await fetch(`${hub.url}${path}`, { headers: { cookie }, signal: stop.signal });
  const isEndless = /event-stream|x-mixed-replace/.test(response.headers.get('content-type') ?? '');
  if (!isEndless) return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
  const first = await response.body?.getReader().read();
  stop.abort();
  return new TextDecoder().decode(first?.value);
}

describe('no secret is', () => {
  test('in the output of the hub', () => {
    expect(hub.logs().length).toBeGreaterThan(10_000);
    expect(hub.logs()).toContain('broken for a test');
    expect(foundIn(hub.logs())).toEqual([]);
  });

  test('in a command line or the environment of a process', () => {
    const all = [...processes.seen];
    for (const program of ['srt-endpoint', 'udp-endpoint', 'ffmpeg', `${basename(mainProgram)} media`])
      expect([program, all.some((line) => line.includes(program))]).toEqual([program, true]);
    expect(foundIn(all.join('\n'))).toEqual([]);
  });

  test('in a file of the data folder; only stream keys are in the database, for lookups', () => {
    const names = readdirSync(hub.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(names.length).toBeGreaterThan(5);
    for (const { parentPath, name } of names) {
      const isDatabase = parentPath === hub.dataDir && name.startsWith('hub.sqlite');
      const isMeant = (secret: string) => !(isDatabase && inDatabase.includes(secret));
      expect([name, foundIn(read(join(parentPath, name)), isMeant)]).toEqual([name, []]);
    }
  });

  test('in the operation log and the system log, as listed and as downloaded', async () => {
    for (const log of ['log', 'syslog']) {
      let before = '';
      for (let next = 1; next !== 0; before = `&before=${next}`) {
        const { text, json } = await asAdmin({ path: `/api/${log}/list?count=1000${before}` });
        expect([log, foundIn(text)]).toEqual([log, []]);
        expect(text).not.toMatch(codeAlone);
        next = json.next as number;
      }
      const { text, status } = await asAdmin({ path: `/api/${log}/export` });
      expect([log, status, foundIn(text)]).toEqual([log, 200, []]);
      expect(text.length).toBeGreaterThan(1000);
    }
  });

  test('in the support file, in which keys are secrets, too', async () => {
    const response = await fetch(`${hub.url}${supportFilePath}`, { headers: hub.headers() });
    const files = await new Bun.Archive(await response.bytes()).files();
    expect(files.size).toBeGreaterThan(5);
    for (const [name, file] of files) {
      const text = await file.text();
      expect(text.length).toBeGreaterThan(10);
      expect([name, foundIn(text)]).toEqual([name, []]);
      expect(text).not.toMatch(codeAlone);
    }
  });

  test('in the response of a read, except where the published API shows it to users who may edit', async () => {
    await hub.api('/api/usr/add', { name: 'viewer', password: secrets.annPassword, 'group-id': 4 });
    const body = { id: 'viewer', password: secrets.annPassword };
    const { json } = await rawCall(hub, { path: '/api/login', body });
    const readers = [
      { cookie: hub.headers().cookie ?? '', mayEdit: true },
      { cookie: `${cookieNames.sid}=${json.token}`, mayEdit: false },
    ];
    for (const { cookie, mayEdit } of readers) {
      const asked: string[] = [];
      for await (const [path, text] of answersTo(cookie)) {
        asked.push(path);
        const published = shownToEditors[path] ?? [];
        const shown: readonly string[] = mayEdit
          ? published
          : published.filter((name) => shownToViewers.includes(name));
        expect([path, mayEdit, foundIn(text, (name) => !shown.includes(name))]).toEqual([path, mayEdit, []]);
        const showsTheCode = mayEdit && path === showsCode;
        expect([path, text.includes(`"${invitationCode}"`)]).toEqual([path, showsTheCode]);
      }
      expect(asked.length).toBeGreaterThan(25);
    }
  });

  test('in the settings of a user who may not see them, nor is a stream key', async () => {
    const { id } = await hub.api<{ id: number }>('/api/usr-group/add', { name: 'Devices', permissions: 4 });
    await hub.api('/api/usr/add', { name: 'guard', password: secrets.annPassword, 'group-id': id });
    const { json } = await rawCall(hub, { path: '/api/login', body: { id: 'guard', password: secrets.annPassword } });
    for await (const [path, text] of answersTo(`${cookieNames.sid}=${json.token}`))
      expect([path, foundIn(text), text.includes(`"${invitationCode}"`)]).toEqual([path, [], false]);
  });

  test('in the response of a failed call', () => {
    expect(failures.length).toBeGreaterThan(200);
    for (const text of failures) expect([text, foundIn(text)]).toEqual([text, []]);
  });
});

test('stored in the database: passwords, tokens and sessions are hashes', () => {
  const db = new Sqlite(join(hub.dataDir, 'hub.sqlite'), { readonly: true });
  const column = (sql: string) =>
    db
      .query<{ value: string }, []>(sql)
      .all()
      .map(({ value }) => value);
  const passwords = column('SELECT password_hash AS value FROM users WHERE password_hash IS NOT NULL');
  expect(passwords.length).toBeGreaterThan(1);
  for (const hash of passwords) expect(hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
  for (const hash of [
    ...column('SELECT hash AS value FROM access_tokens'),
    ...column('SELECT id_hash AS value FROM sessions'),
  ])
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  db.close();
});
