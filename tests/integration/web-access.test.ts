/** Ports and certificate of the console change without cutting anyone off: cases F10 to F13 of docs/appliance.md. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import type { CertificateFacts } from '../../daemon/contract/certificates.ts';
import type { Settings } from '../../daemon/contract/settings.ts';
import { until, untilSeen } from '../support/until.ts';
import { type CertificateChain, makeChain } from './certificate-chain.ts';
import { type ApiResponse, type HubProcess, startHub } from './hub-process.ts';
import { inOwnNetwork } from './own-network.ts';

setDefaultTimeout(60_000);

inOwnNetwork('ports and certificate of the console', import.meta.path, () => {
  const firstFree = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  const low = 700;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-web-access-'));
  let hub: HubProcess;
  let made: CertificateChain;
  beforeAll(async () => {
    expect(Bun.spawnSync(['ip', 'link', 'set', 'lo', 'up']).success).toBe(true);
    // As system/sysctl.conf does: otherwise, what the old listener has not accepted when it closes is reset.
    writeFileSync('/proc/sys/net/ipv4/tcp_migrate_req', '1');
    made = await makeChain(folder);
    hub = await startHub({ isUnprivileged: true, timeDivisor: 5, env: { SIGNALBOX_HTTPS_PORT: '0' } });
    await hub.login();
  }, 60_000);
  afterAll(async () => {
    await hub.stop();
    rmSync(folder, { recursive: true });
  });

  interface Refused extends ApiResponse {
    readonly params?: { readonly port: number };
    readonly fields?: readonly { readonly path: string; readonly rule: string }[];
  }
  type File = string | Uint8Array<ArrayBuffer>;

  async function upload(call: 'upload' | 'upload-key', content: File): Promise<ApiResponse & { filename: string }> {
    const form = new FormData();
    form.append('file', new Blob([content]), 'any-name');
    const answer = await fetch(`${hub.url}/api/cert/${call}`, { method: 'POST', body: form, headers: hub.headers() });
    return (await answer.json()) as ApiResponse & { filename: string };
  }

  const set = (web: object, seconds?: number) =>
    hub.answer<Refused>('/api/settings/set', { web, ...(seconds && { 'confirm-within': seconds }) });

  /** Uploads both files and installs them; returns the first result that is not 0. */
  async function install(cert: File, key: File, seconds?: number): Promise<number> {
    const files = [await upload('upload', cert), await upload('upload-key', key)] as const;
    const refused = files.find(({ result }) => result !== 0);
    if (refused !== undefined) return refused.result;
    return (await set({ 'cert-filename': files[0].filename, 'cert-key-filename': files[1].filename }, seconds)).result;
  }

  /** Fingerprint of the certificate that a new connection gets. */
  function served(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect({ host: '127.0.0.1', port: hub.ports.https ?? 0, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.end();
    });
    socket.on('error', reject);
    return promise;
  }
  const untilServed = (pem: string) =>
    until(
      async () => (await served()) === new X509Certificate(pem).fingerprint256,
      10_000,
      'HTTPS serves the certificate',
    );
  const chain = () => made.leaf + made.intermediate;

  test('F10: a port that is taken, low, equal to the other or 0 is refused with its number, and the old ports serve on', async () => {
    const { http, https } = hub.ports;
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const taken = other.port ?? 0;
    try {
      for (const name of ['http-port', 'https-port']) {
        expect(await set({ [name]: taken })).toMatchObject({ result: 1007, params: { port: taken } });
        if (low < firstFree) {
          expect(await set({ [name]: low })).toMatchObject({
            ...{ result: 1007, params: { port: low } },
            fields: [{ path: `web.${name}`, rule: 'privilegedPort' }],
          });
        }
        // Not a port at all, so it is a fault of the request.
        for (const port of [0, 65_536, -1]) {
          expect(await set({ [name]: port })).toMatchObject({
            ...{ result: 7, fields: [{ path: `web.${name}`, rule: 'range' }] },
          });
        }
      }
      expect(await set({ 'http-port': https })).toMatchObject({
        ...{ result: 1007, params: { port: https }, fields: [{ path: 'web.https-port', rule: 'unique' }] },
      });
    } finally {
      await other.stop(true);
    }
    expect(await hub.api('/api/settings/get')).toMatchObject({ web: { 'http-port': http, 'https-port': https } });
    expect((await fetch(`${hub.url}/api/health`)).ok).toBe(true);
    await served();
  });

  test('F11: a certificate that does not fit is refused, and the old one serves on', async () => {
    const before = await served();
    const other = await Bun.file(join(folder, 'root.key')).text();
    const large = 'x'.repeat(10_000_000);
    const cases: readonly (readonly [what: string, cert: File, key: File, result: number])[] = [
      ['key of another certificate', chain(), other, -103],
      ['expired', made.expired, made.key, -102],
      ['authority first', made.intermediate + made.leaf, made.key, -102],
      ['authorities in the wrong order', made.leaf + made.root + made.intermediate, made.key, -102],
      ['authority of another', made.leaf + made.root, made.key, -102],
      ['certificate in DER', made.der, made.key, -102],
      ['certificate of 10 MB', large, made.key, -102],
      ['key of 10 MB', chain(), large, -103],
      ['damaged', chain().replace('MII', '***'), made.key, -102],
      ...made.encryptedKeys.map((key) => ['key with a passphrase', chain(), key, -103] as const),
    ];
    for (const [what, cert, key, result] of cases) expect([what, await install(cert, key)]).toEqual([what, result]);
    expect(await served()).toBe(before);
    expect(await hub.api('/api/settings/get')).toMatchObject({
      web: { 'is-cert-valid': true, 'is-cert-key-valid': true },
    });
  });

  test('F12: no request fails while certificates are swapped, 50 requests a second over new and kept connections', async () => {
    let sent = 0;
    const faults: string[] = [];
    const kept = new Agent({ keepAlive: true, maxSockets: 4 });
    const send = (agent: Agent | false) => {
      sent += 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      const options = { host: '127.0.0.1', port: hub.ports.https ?? 0, path: '/api/health', agent };
      const fail = (error: Error) => {
        faults.push(`${agent === false ? 'new' : 'kept'}: ${error.message}`);
        resolve();
      };
      request({ ...options, rejectUnauthorized: false }, (answer) => {
        if (answer.statusCode !== 200) faults.push(String(answer.statusCode));
        answer.on('error', fail).on('end', resolve).resume();
      })
        .on('error', fail)
        .end();
      return promise;
    };
    const pending = new Set<Promise<void>>();
    const timer = setInterval(() => {
      const one = send(sent % 2 === 0 ? kept : false);
      pending.add(one);
      void one.then(() => pending.delete(one));
    }, 20);
    try {
      const rootKey = await Bun.file(join(folder, 'root.key')).text();
      for (let turn = 0; turn < 8; turn++) {
        const [cert, key, first] = turn % 2 === 0 ? [chain(), made.key, made.leaf] : [made.root, rootKey, made.root];
        const from = sent;
        expect(await install(cert, key)).toBe(0);
        await untilServed(first);
        await until(() => sent >= from + 25, 10_000, 'requests are sent');
      }
    } finally {
      clearInterval(timer);
      await Promise.all(pending);
      kept.destroy();
    }
    expect(faults).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(200);
  });

  test('F13: versions before TLS 1.2 and weak suites are refused', async () => {
    const suiteOf = async (...args: string[]) => {
      const command = ['openssl', 's_client', '-connect', `127.0.0.1:${hub.ports.https}`, ...args];
      const { stdout } = Bun.spawn(command, { stdin: 'ignore', stderr: 'ignore' });
      return /Cipher is (\S+)/.exec(await new Response(stdout).text())?.[1];
    };
    const good = 'ECDHE-ECDSA-AES128-GCM-SHA256';
    expect([await suiteOf('-tls1_2', '-cipher', good), await suiteOf('-tls1_3')]).toEqual([
      good,
      expect.stringMatching(/^TLS_/),
    ]);
    for (const version of ['-tls1', '-tls1_1']) {
      expect([version, await suiteOf(version, '-cipher', 'ALL:@SECLEVEL=0')]).toEqual([version, '(NONE)']);
    }
    for (const weak of [
      'ECDHE-ECDSA-AES128-SHA',
      'ECDHE-ECDSA-AES256-SHA384',
      'AES128-SHA',
      'AES256-GCM-SHA384',
      'NULL',
      'aNULL',
    ]) {
      expect([weak, await suiteOf('-tls1_2', '-cipher', `${weak}:@SECLEVEL=0`)]).toEqual([weak, '(NONE)']);
    }
  });

  const files = () =>
    readdirSync(join(hub.dataDir, 'tls'))
      .filter((name) => name !== 'link.key')
      .toSorted();

  test('a certificate that waits to be confirmed when the hub is killed gives way to the one before it', async () => {
    expect(await install(chain(), made.key)).toBe(0);
    await untilServed(made.leaf);
    const own = await Bun.file(join(hub.dataDir, 'tls/hub.crt')).text();
    const root = await Bun.file(join(folder, 'root.key')).text();
    expect(await install(made.root, root, 600)).toBe(0);
    await untilServed(made.root);
    await hub.kill('SIGKILL');
    await hub.restart();
    await hub.login();
    await untilServed(made.leaf);
    expect(await Bun.file(join(hub.dataDir, 'tls/hub.crt')).text()).toBe(own);
    expect(files()).toEqual(['hub.crt', 'hub.key']);
  });

  test('a certificate stays once it is confirmed, and nothing is left of the one before it', async () => {
    const root = await Bun.file(join(folder, 'root.key')).text();
    expect(await install(made.root, root, 600)).toBe(0);
    await untilServed(made.root);
    expect(files()).toHaveLength(4);
    expect(await hub.answer('/api/settings/confirm', { group: 'web' })).toMatchObject({ result: 0 });
    expect(files()).toEqual(['hub.crt', 'hub.key']);
    await hub.kill('SIGKILL');
    await hub.restart();
    await untilServed(made.root);
    expect(existsSync(join(hub.dataDir, 'tls/uploads'))).toBe(false);
  });

  /** As a browser that keeps its connection. */
  async function confirmOver(socket: TLSSocket): Promise<ApiResponse> {
    const body = JSON.stringify({ group: 'web' });
    const lines = [
      'POST /api/settings/confirm HTTP/1.1',
      `host: 127.0.0.1:${hub.ports.https}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      ...Object.entries(hub.headers()).map(([name, value]) => `${name}: ${value}`),
    ];
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    const answer = () => /\{.*\}/s.exec(text)?.[0] ?? '';
    await until(() => answer() !== '', 10_000, 'the hub answers');
    return JSON.parse(answer()) as ApiResponse;
  }
  const newConnection = async (): Promise<TLSSocket> => {
    const socket = connect({ host: '127.0.0.1', port: hub.ports.https ?? 0, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return socket;
  };

  /** The listener from before may still accept connections when the next one does already. */
  async function connectionThatUses(pem: string): Promise<TLSSocket> {
    const { fingerprint256 } = new X509Certificate(pem);
    return untilSeen(newConnection, (socket) => {
      const isNew = socket.getPeerCertificate().fingerprint256 === fingerprint256;
      if (!isNew) socket.destroy();
      return isNew;
    });
  }

  test('a certificate is confirmed over a connection that uses it, not over one from before', async () => {
    const before = await newConnection();
    expect(await install(chain(), made.key, 600)).toBe(0);
    expect(await confirmOver(before)).toMatchObject({ result: 4 });
    const after = await connectionThatUses(made.leaf);
    expect(await confirmOver(after)).toMatchObject({ result: 0 });
    for (const socket of [before, after]) socket.destroy();
  });

  test('the certificate is described, and the hub returns to one that it signs itself', async () => {
    const present = async () => (await hub.api<{ certificate: CertificateFacts }>('/api/cert/get')).certificate;
    const leaf = new X509Certificate(made.leaf);
    expect(await present()).toEqual({
      ...{ subject: 'CN=leaf', issuer: 'CN=intermediate', names: ['127.0.0.1', 'localhost'] },
      ...{ 'valid-from': Date.parse(leaf.validFrom), 'valid-to': Date.parse(leaf.validTo) },
      ...{ fingerprint: leaf.fingerprint256, 'self-signed': false, 'made-by-hub': false, intermediates: 1 },
    });
    expect(await upload('upload', chain())).toMatchObject({ certificate: { subject: 'CN=leaf' }, 'has-key': true });
    expect(await upload('upload', made.root)).toMatchObject({ certificate: { 'self-signed': true }, 'has-key': false });
    expect(await set({ 'cert-self-signed': true })).toMatchObject({ result: 0 });
    const own = await present();
    expect(own).toMatchObject({ 'self-signed': true, 'made-by-hub': true, intermediates: 0 });
    expect(own.names).toContain('localhost');
    await until(async () => (await served()) === own.fingerprint, 10_000, 'HTTPS serves it');
    expect(files()).toEqual(['hub.crt', 'hub.key']);
  });

  test('a certificate request keeps its key on the hub, which accepts the signed certificate alone', async () => {
    const sent = { organization: 'Lüneburg "TV" $HOME, #1', country: 'DE', names: ['hub.example.org', '127.0.0.1'] };
    const { request: pem } = await hub.api<{ request: string }>('/api/cert/request', sent);
    expect(await hub.answer<Refused>('/api/cert/request', { ...sent, names: ['a\nb'] })).toMatchObject({
      fields: [{ path: 'names.0', rule: 'host' }],
    });
    const before = await served();
    const signed = await made.sign(pem);
    const cert = new X509Certificate(signed);
    const subject = 'C=DE O=Lüneburg \\"TV\\" $HOME\\, #1 CN=hub.example.org';
    expect(cert.subject.replaceAll('\n', ' ')).toBe(subject);
    expect(cert.subjectAltName).toBe('DNS:hub.example.org, IP Address:127.0.0.1');
    // The request survives a restart, and a certificate for another key is not mistaken for its certificate.
    await hub.kill('SIGKILL');
    await hub.restart();
    await hub.login();
    const stranger = await upload('upload', chain());
    expect(await set({ 'cert-filename': stranger.filename })).toMatchObject({ result: -103 });
    expect(await served()).toBe(before);
    const file = await upload('upload', signed + made.intermediate);
    expect(await set({ 'cert-filename': file.filename })).toMatchObject({ result: 0 });
    await untilServed(signed);
    const { web } = await hub.api<Settings>('/api/settings/get');
    expect(web).toMatchObject({ 'is-cert-valid': true, 'is-cert-key-valid': true });
    expect([web['cert-requested'], files()]).toEqual([undefined, ['hub.crt', 'hub.key']]);
    const key = await Bun.file(join(hub.dataDir, 'tls/hub.key')).text();
    expect(hub.logs() + JSON.stringify(await hub.api('/api/log/list'))).not.toContain(key.split('\n')[1] ?? '');
  });
});
