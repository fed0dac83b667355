import { expect, test } from 'bun:test';
import { firstPasswordRule } from '../../contract/password-rule.ts';
import type { SettingsChange } from '../../contract/settings-fields.ts';
import type { Actor } from '../../http/route.ts';
import { createLog } from '../../lib/log.ts';
import type { PortState } from '../../lib/port-probe.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog, settings as table } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { createSettingsService, type InitialSettings, type WebSettings } from './service.ts';

const actor = { name: 'Admin', ip: '192.0.2.1' };
const initial = { rtmpPort: 1935, srtPort: 8000, httpPort: 8880, httpsPort: null, reservedPorts: [8071] };
/** Ports as the engine and the web server report them. */
const openPorts = { rtmp: 40_001, srt: 40_003, http: 40_005, https: 0, hls: 8080 };
/** Marks a text as sealed without encrypting it. */
const secrets = {
  seal: (text: string) => `sealed:${text}`,
  open: (text: string) => text.replace('sealed:', ''),
  derive: (text: string) => Buffer.from(text),
};

function setup({
  portState = 'free' as PortState | ((port: number) => PortState),
  ports = openPorts,
  db = memoryDatabase(),
  prepareFails = false,
  open = secrets.open,
  given = initial as InitialSettings,
} = {}) {
  const probed: string[] = [];
  const web: string[] = [];
  const lines: string[] = [];
  let mediaChanges = 0;
  const settings = createSettingsService({
    features: 0,
    db,
    secrets: { ...secrets, open },
    audit: createAudit(Date.now),
    now: Date.now,
    initial: given,
    openPorts: () => ports,
    web: {
      prepare: async (next: WebSettings) => {
        if (prepareFails) throw new Error('no');
        web.push(`open ${next.httpPort}`);
        return { commit: () => web.push('commit'), abort: () => web.push('abort') };
      },
      renewHttps: async () => {},
      certificates: {
        state: () => ({ isCertValid: false, isKeyValid: false }),
        files: { cert: '/data/tls/hub.crt', key: '/data/tls/hub.key' },
        ...{ stage: async () => {}, stageOwn: async () => {}, present: () => undefined, hasKeyOf: () => false },
        installed: () => undefined,
        ...{ keep: () => {}, install: () => {}, settle: () => {} },
        request: async () => '',
        requestedAt: () => undefined,
      },
      uploads: { keep: () => '', read: () => '', clear: () => {} },
    },
    probe: async (kind, port) => {
      probed.push(`${kind} ${port}`);
      return typeof portState === 'string' ? portState : portState(port);
    },
    log: createLog('info', (line) => lines.push(line)),
  });
  settings.onMediaChange(() => (mediaChanges += 1));
  const asAdmin = {
    ...settings,
    change: (by: Actor, what: SettingsChange) => settings.change(by, what, { mayWeaken: true }),
  };
  return { db, settings: asAdmin, probed, web, lines, mediaChanges: () => mediaChanges };
}

test('without changes the environment applies', () => {
  const { settings, lines } = setup();
  expect(settings.shown()).toEqual({
    rtmp: { port: 1935 },
    srt: { port: 8000, latency: 120, 'pb-key-len': 0, 'passphrase-set': false },
    web: {
      'http-port': 8880,
      'enable-https': false,
      'https-port': 8443,
      'redirect-https': false,
      hsts: false,
      'is-cert-valid': false,
      'is-cert-key-valid': false,
    },
    'cert-path': '/data/tls/hub.crt',
    'cert-key-path': '/data/tls/hub.key',
    'expired-time': 30,
    'pwd-rule': firstPasswordRule,
    'sign-in': { 'allow-md5': true },
    security: { 'enable-code': false, 'code-value': '0000' },
    language: 'auto',
    'hub-name': '',
    'upgrade-rate': 100,
    'ndi-discovery': { servers: '', 'extra-ips': '', 'send-groups': '', 'receive-groups': '' },
    'hub-ndi-server': { enable: false, port: 5959 },
    videohub: { enabled: false, address: '', port: 9990, allow: [], model: 'Smart Videohub', version: '2.7' },
    outgoing: { 'private-media': true, 'private-webhook': false },
    mail: {
      ...{ enabled: false, host: '', port: 587, encryption: 'starttls', user: '', 'password-set': false },
      ...{ from: '', to: [] },
    },
    revision: {
      rtmp: 1,
      srt: 1,
      web: 1,
      'expired-time': 1,
      'pwd-rule': 1,
      'sign-in': 1,
      security: 1,
      language: 1,
      outgoing: 1,
      mail: 1,
      'hub-name': 1,
      'upgrade-rate': 1,
      'ndi-discovery': 1,
      'hub-ndi-server': 1,
      videohub: 1,
    },
  });
  expect(lines).toEqual([]);
});

test('with port 0, settings show, keep and compare the open ports', async () => {
  const anyPorts = { rtmpPort: 0, srtPort: 0, httpPort: 0, httpsPort: null, reservedPorts: [0, 0] };
  const { settings, probed, web } = setup({ given: anyPorts });
  const shown = settings.shown();
  expect([shown.rtmp.port, shown.srt.port, shown.web['http-port']]).toEqual([40_001, 40_003, 40_005]);
  expect(settings.ownPorts()).toEqual([40_001, 40_003, 40_005, 8080]);
  await settings.change(actor, { rtmp: { port: 40_001 } });
  await settings.change(actor, { srt: { latency: 200 } });
  expect(probed).toEqual([]);
  expect(settings.srt()).toMatchObject({ port: 40_003, latencyMs: 200 });
  await settings.change(actor, { web: { 'enable-https': true, 'https-port': 8443 } });
  expect(web[0]).toBe('open 40005');
});

test('a change is stored, logged and sent to the media side, and overrides the environment', async () => {
  const { db, settings, probed, mediaChanges } = setup();
  await settings.change(actor, { rtmp: { port: 1936 } });
  expect([settings.rtmp().port, probed, mediaChanges()]).toEqual([1936, ['tcp 1936'], 1]);
  expect(db.select().from(operationLog).all()).toMatchObject([{ action: 'settings.set', detail: 'rtmp: port 1936' }]);
  const again = setup({ db });
  expect(again.settings.rtmp().port).toBe(1936);
  expect(again.lines).toHaveLength(1);
  expect(again.lines[0]).toContain('variable=SIGNALBOX_RTMP_PORT given=1935 stored=1936');
});

test('an unchanged port is not probed; one that is in use or belongs to another part is refused with its number', async () => {
  const { settings, probed } = setup({ portState: 'occupied' });
  await settings.change(actor, { rtmp: { port: 1935 } });
  expect(probed).toEqual([]);
  const refused = { result: 'portOccupied', params: { port: 1936 } };
  await expect(settings.change(actor, { rtmp: { port: 1936 } })).rejects.toMatchObject(refused);
  await expect(settings.change(actor, { srt: { port: 1936 } })).rejects.toMatchObject(refused);
  await expect(settings.change(actor, { rtmp: { port: 8080 } })).rejects.toMatchObject({ params: { port: 8080 } });
  expect(settings.rtmp().port).toBe(1935);
});

test('the SRT port may return to one that the hub had, although connections to it keep it in use', async () => {
  const open = { ...openPorts, srt: 8000 };
  const { settings, probed } = setup({ ports: open, portState: (port) => (port === 8001 ? 'free' : 'occupied') });
  await settings.change(actor, { srt: { port: 8001 } });
  open.srt = 8001;
  await settings.change(actor, { srt: { port: 8000 } });
  expect([settings.srt().port, probed]).toEqual([8000, ['udp 8001']]);
  await expect(settings.change(actor, { srt: { port: 8002 } })).rejects.toMatchObject({ result: 'portOccupied' });
});

test('a port that the system reserves for root is an error of its field', async () => {
  const { settings } = setup({ portState: 'forbidden' });
  await expect(settings.change(actor, { rtmp: { port: 80 } })).rejects.toMatchObject({
    fields: [{ path: 'rtmp.port', rule: 'privilegedPort' }],
  });
});

test('a passphrase is stored sealed, never shown, kept when left blank and deleted with the encryption', async () => {
  const { db, settings } = setup();
  await settings.change(actor, { srt: { 'pb-key-len': 16, passphrase: 'correct horse' } });
  expect(settings.srt()).toMatchObject({ keyLength: 16, passphrase: 'correct horse' });
  expect(JSON.stringify(settings.shown())).not.toContain('horse');
  expect(settings.shown().srt['passphrase-set']).toBe(true);
  expect(db.select().from(table).all()[0]?.value).toContain('sealed:');
  await settings.change(actor, { srt: { 'pb-key-len': 32, passphrase: '', latency: 300 } });
  expect(settings.srt()).toMatchObject({ keyLength: 32, latencyMs: 300, passphrase: 'correct horse' });
  await settings.change(actor, { srt: { 'pb-key-len': 0 } });
  expect(settings.shown().srt).toMatchObject({ 'pb-key-len': 0, 'passphrase-set': false });
  const entries = db.select().from(operationLog).all();
  expect(entries.map(({ detail }) => detail)).toEqual([
    'srt: port 8000, latency 120 ms, AES-128',
    'srt: port 8000, latency 300 ms, AES-256',
    'srt: port 8000, latency 300 ms, not encrypted',
  ]);
});

test('a passphrase that the key file cannot open keeps the listener encrypted and must be entered again', async () => {
  const { db, settings } = setup();
  await settings.change(actor, { srt: { 'pb-key-len': 16, passphrase: 'correct horse' } });
  const open = (): never => {
    throw new Error('sealed with another key');
  };
  const later = setup({ db, open });
  expect(later.lines.join()).toContain('secrets.key');
  expect(later.settings.shown().srt).toMatchObject({ 'pb-key-len': 16, 'passphrase-set': false });
  expect(later.settings.srt()).toMatchObject({ keyLength: 16, passphrase: expect.stringMatching(/^.{10,79}$/) });
  await expect(later.settings.change(actor, { srt: { latency: 300 } })).rejects.toMatchObject({
    fields: [{ path: 'srt.passphrase', rule: 'required' }],
  });
});

test('encryption without a passphrase, and a passphrase without encryption, are refused', async () => {
  const { settings } = setup();
  await expect(settings.change(actor, { srt: { 'pb-key-len': 16 } })).rejects.toMatchObject({
    fields: [{ path: 'srt.passphrase', rule: 'required' }],
  });
  await expect(settings.change(actor, { srt: { passphrase: 'correct horse' } })).rejects.toMatchObject({
    fields: [{ path: 'srt.pb-key-len', rule: 'required' }],
  });
});

test('private addresses are allowed for media and refused for the webhook by default', async () => {
  const { db, settings, mediaChanges } = setup();
  const closedPorts = [8880, 8071];
  const media = { allowsPrivate: true, setting: 'outgoing.private-media', closedPorts };
  const webhook = { allowsPrivate: false, setting: 'outgoing.private-webhook', closedPorts };
  expect(settings.outgoing()).toEqual({ media, webhook });
  await settings.change(actor, { outgoing: { 'private-webhook': true } });
  expect(settings.outgoing()).toEqual({ media, webhook: { ...webhook, allowsPrivate: true } });
  await settings.change(actor, { outgoing: { 'private-media': false } });
  expect(settings.outgoing()).toMatchObject({ media: { allowsPrivate: false }, webhook: { allowsPrivate: true } });
  expect(mediaChanges()).toBe(2);
  expect(setup({ db }).settings.shown().outgoing).toEqual({ 'private-media': false, 'private-webhook': true });
  expect(db.select().from(operationLog).all().at(-1)?.detail).toBe(
    'outgoing: media to private addresses false, webhook to private addresses true',
  );
});

test('media cannot use ports of the console and the API, also after the console has moved', async () => {
  const { settings, mediaChanges } = setup();
  await settings.change(actor, { web: { 'http-port': 9000, 'enable-https': true, 'https-port': 9443 } });
  expect(settings.outgoing().media.closedPorts).toEqual([9000, 9443, 8071]);
  expect(mediaChanges()).toBe(1);
});

test('the console moves only if the new port could be opened', async () => {
  const { settings, web } = setup();
  await settings.change(actor, { web: { 'http-port': 9000 } });
  expect([web, settings.web().httpPort]).toEqual([['open 9000', 'commit'], 9000]);
  const failing = setup({ prepareFails: true });
  await expect(failing.settings.change(actor, { web: { 'http-port': 9000 } })).rejects.toThrow('no');
  expect(failing.settings.web().httpPort).toBe(8880);
  expect(failing.db.select().from(table).all()).toEqual([]);
});

test('a console move that cannot be stored is undone', async () => {
  const { db, settings, web } = setup();
  db.$client.run('DROP TABLE operation_log');
  await expect(settings.change(actor, { web: { 'http-port': 9000 } })).rejects.toThrow('operation_log');
  expect([web, settings.web().httpPort]).toEqual([['open 9000', 'abort'], 8880]);
  expect(db.select().from(table).all()).toEqual([]);
});

test('HTTP and HTTPS cannot share a port', async () => {
  const { settings } = setup();
  await expect(settings.change(actor, { web: { 'enable-https': true, 'https-port': 8880 } })).rejects.toMatchObject({
    ...{ result: 'portOccupied', params: { port: 8880 } },
    fields: [{ path: 'web.https-port', rule: 'unique' }],
  });
});

const overTls = { ...actor, isSecure: true } as const;
const withHttps = { ...initial, httpsPort: 8443 };

test('the redirect to HTTPS can be enabled only over HTTPS, and disabled from anywhere', async () => {
  const { db, settings } = setup({ given: withHttps });
  const change = { web: { 'redirect-https': true } };
  await expect(settings.change(actor, change)).rejects.toMatchObject({
    fields: [{ path: 'web.redirect-https', rule: 'needsHttps' }],
  });
  expect(settings.web().isRedirected).toBe(false);
  await settings.change(overTls, change);
  expect(settings.shown().web).toMatchObject({ 'redirect-https': true, hsts: false });
  // A client that sends back all values that it read changes nothing.
  await settings.change(actor, { web: { 'http-port': 8881, 'redirect-https': true } });
  expect(settings.web().isRedirected).toBe(true);
  await settings.change(actor, { web: { 'redirect-https': false } });
  expect(settings.web().isRedirected).toBe(false);
  const entries = db.select().from(operationLog).all();
  expect(entries[0]?.detail).toBe('web: http 8880, https 8443, http redirected to https');
});

test('the redirect never points to an HTTPS port that has not been seen to work', async () => {
  const { settings } = setup({ given: withHttps });
  const refused = { fields: [{ path: 'web.redirect-https', rule: 'httpsChanges' }] };
  for (const web of [{ 'https-port': 9443 }, { 'enable-https': false }]) {
    const both = { web: { ...web, 'redirect-https': true } };
    await expect(settings.change(overTls, both)).rejects.toMatchObject(refused);
  }
  for (const web of [{ 'https-port': 9443 }, { 'enable-https': false }]) {
    await settings.change(overTls, { web: { 'redirect-https': true } });
    await settings.change(overTls, { web });
    expect(settings.web()).toMatchObject({ isRedirected: false });
  }
});

test('HSTS can be enabled only over HTTPS, keeps HTTPS on, and is revoked when it ends', async () => {
  const { db, settings } = setup({ given: withHttps });
  const needsHttps = { fields: [{ path: 'web.hsts', rule: 'needsHttps' }] };
  await settings.change(actor, { web: { hsts: false } });
  expect(settings.web().hsts).toBe('never');
  await expect(settings.change(actor, { web: { hsts: true } })).rejects.toMatchObject(needsHttps);
  await settings.change(overTls, { web: { hsts: true } });
  await expect(settings.change(overTls, { web: { 'enable-https': false } })).rejects.toMatchObject({
    fields: [{ path: 'web.enable-https', rule: 'hstsOn' }],
  });
  expect(setup({ db, given: withHttps }).settings.web()).toMatchObject({ hsts: 'on', isHttpsEnabled: true });
  await settings.change(actor, { web: { hsts: false } });
  expect([settings.web().hsts, settings.shown().web.hsts]).toEqual(['ended', false]);
});

test('a hub that stored its ports before the redirect existed has none, and keeps HTTPS off', () => {
  const db = memoryDatabase();
  const value = JSON.stringify({ httpPort: 8880, isHttpsEnabled: false, httpsPort: 8443 });
  db.insert(table).values({ name: 'web', value }).run();
  const { settings } = setup({ db, given: withHttps });
  expect(settings.web()).toEqual({
    ...{ httpPort: 8880, isHttpsEnabled: false, httpsPort: 8443 },
    ...{ isRedirected: false, hsts: 'never', certificate: '' },
  });
});

test('parallel changes run one after another, and their number is limited', async () => {
  const { db, settings } = setup();
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => settings.change(actor, { rtmp: { port: 2000 + i } })),
  );
  expect(all.filter((one) => one.status === 'rejected').map((one) => one.reason.result)).toEqual(
    Array.from({ length: 4 }, () => 'tryAgain'),
  );
  expect(settings.rtmp().port).toBe(2015);
  expect(db.select().from(operationLog).all()).toHaveLength(16);
});
