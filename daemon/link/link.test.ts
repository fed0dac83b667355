/** Links over real sockets: registration, identity, streams, ports. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { closeGates, openGate } from '../../tests/integration/gate.ts';
import { until } from '../../tests/support/until.ts';
import { makeCertificate } from '../http/make-certificate.ts';
import { StreamError } from './codes.ts';
import type { RegistrationState } from './handshake.ts';
import { createIdentity } from './identity.ts';
import { createStops, type RigHub, rigTiming, startDevice, startHub, type Tls } from './link-rig-for-test.ts';

const stops = createStops();
afterEach(async () => {
  await stops.all();
  closeGates();
});

const certificates: Tls[] = [];
beforeAll(async () => {
  for (const name of ['a', 'b']) {
    const made = await makeCertificate({ commonName: name, required: ['elsewhere.example'], further: [] });
    if ('reason' in made) throw new Error(made.message);
    certificates.push(made);
  }
});

const body = Uint8Array.from({ length: 3 << 20 }, (_, at) => (at * 31 + (at >> 10)) & 0xff);

/** A device's own web server. */
function startOrigin() {
  const origin = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request, server) {
      const { pathname } = new URL(request.url);
      if (pathname === '/ws') return server.upgrade(request) ? undefined : new Response('no', { status: 400 });
      if (pathname === '/large') return rangeOf(request);
      if (pathname === '/upload') return new Response(String(Bun.hash(await request.arrayBuffer())));
      return new Response(`hello from ${pathname}`);
    },
    websocket: { message: (socket, message) => void socket.send(message) },
  });
  return stops.add({ port: origin.port ?? 0, stop: () => origin.stop(true) });
}

function rangeOf(request: Request): Response {
  const from = Number(/^bytes=(\d+)-/.exec(request.headers.get('range') ?? '')?.[1] ?? 0);
  return new Response(body.subarray(from), { status: from > 0 ? 206 : 200 });
}

/** A hub with one device, whose link is up. */
async function startLink(options: { readonly tls?: Tls; readonly allowsPort?: (port: number) => boolean } = {}) {
  const hub = stops.add(startHub(options));
  const { allowsPort } = options;
  const device = stops.add(startDevice({ url: hub.url(), ...(allowsPort && { allowsPort }) }));
  await until(() => hub.links.isUp('SN1'));
  return { hub, device };
}

/** Without keep-alive: once the answer is read, the stream ends. */
const via = (hub: RigHub, port: number, path: string, init: BunFetchRequestInit = {}) =>
  fetch(`http://device${path}`, { keepalive: false, ...init, unix: hub.links.socketPath('SN1', port) });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof StreamError ? error.code : String(error)),
  );

describe('a link', () => {
  for (const isTls of [false, true]) {
    const name = isTls ? 'wss' : 'ws';

    test(`over ${name} carries HTTP and WebSockets to a port of the device`, async () => {
      const origin = startOrigin();
      const { hub } = await startLink(isTls ? { tls: certificates[0] as Tls } : {});
      expect(await (await via(hub, origin.port, '/a')).text()).toBe('hello from /a');
      const large = await (await via(hub, origin.port, '/large')).arrayBuffer();
      expect(Bun.hash(large)).toBe(Bun.hash(body));
      const upload = await via(hub, origin.port, '/upload', { method: 'POST', body });
      expect(await upload.text()).toBe(String(Bun.hash(body)));
      expect(await echo(hub, origin.port)).toBe('through the link');
      await until(() => hub.links.stats().streams === 0);
    });
  }

  test('answers many requests at once, each with its own bytes', async () => {
    const origin = startOrigin();
    const { hub } = await startLink();
    const starts = Array.from({ length: 60 }, (_, at) => at * 50_000);
    const correct = await Promise.all(
      starts.map(async (from) => {
        const response = await via(hub, origin.port, '/large', { headers: { range: `bytes=${from}-` } });
        return Bun.hash(await response.arrayBuffer()) === Bun.hash(body.subarray(from));
      }),
    );
    expect(correct).toEqual(starts.map(() => true));
    await until(() => hub.links.stats().streams === 0);
  });

  test('opens streams only to the ports that the device allows', async () => {
    const origin = startOrigin();
    const { hub } = await startLink({ allowsPort: (port) => port === origin.port });
    const open = (port: number) => hub.links.open('SN1', { kind: 'tcp', port, priority: 'interactive' });
    const refused = await open(22);
    expect(await refused.closed).toBe('notPermitted');
    expect(await codeOf(refused.read())).toBe('notPermitted');
    const service = await hub.links.open('SN1', { kind: 'service', service: 'x', priority: 'control' });
    expect(await service.closed).toBe('notPermitted');
    const stream = await open(origin.port);
    await stream.write(Buffer.from('GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'));
    let text = '';
    for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) text += Buffer.from(chunk);
    expect(text).toEndWith('hello from /b');
    stream.end();
    expect(await stream.closed).toBeUndefined();
  });

  test('reports a port on which nothing listens', async () => {
    const { hub } = await startLink();
    const stream = await hub.links.open('SN1', { kind: 'tcp', port: 1, priority: 'bulk' });
    expect(await codeOf(stream.read())).toBe('refused');
  });

  test('resets a stream when its signal is aborted', async () => {
    const origin = startOrigin();
    const { hub } = await startLink();
    const abort = new AbortController();
    const request = { kind: 'tcp', port: origin.port, priority: 'bulk', signal: abort.signal } as const;
    const stream = await hub.links.open('SN1', request);
    abort.abort();
    expect(await stream.closed).toBe('cancelled');
    expect(await codeOf(hub.links.open('SN1', request))).toBe('cancelled');
  });

  test('has no streams for a device without a link', async () => {
    const hub = stops.add(startHub());
    expect(await codeOf(hub.links.open('SN1', { kind: 'tcp', port: 80, priority: 'bulk' }))).toBe('offline');
    expect(via(hub, 80, '/')).rejects.toThrow();
  });

  test('frees a stream whose download is aborted', async () => {
    const origin = startOrigin();
    const { hub } = await startLink();
    const abort = new AbortController();
    const response = await via(hub, origin.port, '/large', { signal: abort.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    abort.abort();
    await until(() => hub.links.stats().streams === 0);
  });

  test('has sockets for its owner only, which are closed when they are idle', async () => {
    const hub = stops.add(startHub({ timing: { ...rigTiming, bridgeIdleMs: 100 } }));
    const path = hub.links.socketPath('SN1', 80);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(hub.links.socketPath('SN1', 80)).toBe(path);
    expect(hub.links.socketPath('SN1', 81)).not.toBe(path);
    expect(hub.links.socketPath('SN10', 80)).not.toBe(path);
    await until(() => hub.links.stats().sockets === 0);
    expect(() => statSync(path)).toThrow();
  });

  test('ends each direction by itself', async () => {
    const origin = Bun.listen({
      ...{ hostname: '127.0.0.1', port: 0, allowHalfOpen: true },
      socket: { data() {}, end: (socket) => void socket.end('the answer follows the end') },
    });
    stops.add({ stop: () => origin.stop(true) });
    const { hub } = await startLink();
    const stream = await hub.links.open('SN1', { kind: 'tcp', port: origin.port, priority: 'bulk' });
    await stream.write(Buffer.from('a question'));
    stream.end();
    expect(Buffer.from((await stream.read())!).toString()).toBe('the answer follows the end');
    expect(await stream.read()).toBeUndefined();
    expect(await stream.closed).toBeUndefined();
  });

  test('serves neither browsers nor other protocols', async () => {
    const hub = stops.add(startHub());
    const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const key = { 'sec-websocket-key': Buffer.alloc(16).toString('base64') };
    const url = `http://127.0.0.1:${hub.port}/link`;
    expect((await fetch(url, { headers: { ...headers, ...key } })).status).toBe(426);
    const ours = { ...headers, ...key, 'sec-websocket-protocol': 'hublink.1' };
    expect((await fetch(url, { headers: { ...ours, origin: 'https://evil.example' } })).status).toBe(403);
    expect((await fetch(url, { headers: { 'sec-websocket-protocol': 'hublink.1' } })).status).toBe(400);
  });
});

async function echo(hub: RigHub, port: number): Promise<string> {
  const socket = new WebSocket(`ws+unix://${hub.links.socketPath('SN1', port)}:/ws`);
  const answer = Promise.withResolvers<string>();
  socket.onopen = () => socket.send('through the link');
  socket.onmessage = ({ data }) => answer.resolve(String(data));
  socket.onerror = () => answer.reject(new Error('no WebSocket'));
  try {
    return await answer.promise;
  } finally {
    socket.close();
  }
}

describe('the registration', () => {
  test('passes the details of a device to the hub', async () => {
    const hub = stops.add(startHub());
    const identity = createIdentity();
    const details = { invitationCode: '1234', model: 'Encoder' };
    stops.add(startDevice({ url: hub.url(), identity, serial: 'A.b-1', details }));
    await until(() => hub.claims.length > 0);
    expect(hub.claims).toEqual([{ role: 'device', serial: 'A.b-1', key: identity.publicKey, details }]);
  });

  test('keeps a device waiting until it is accepted', async () => {
    const hub = stops.add(startHub({ accept: () => ({ state: 'waiting' }) }));
    const device = stops.add(startDevice({ url: hub.url() }));
    await device.untilState('waiting');
    expect(hub.links.stats()).toMatchObject({ up: 0, waiting: 1 });
    expect(await codeOf(hub.links.open('SN1', { kind: 'tcp', port: 80, priority: 'bulk' }))).toBe('offline');
    expect(hub.links.setState('SN1', 'accepted')).toBeTrue();
    await device.untilState('accepted');
    expect(hub.links.stats()).toMatchObject({ up: 1, waiting: 0 });
    expect(hub.ups).toEqual([['SN1', 1]]);
  });

  test.each(['refused', 'deleted', 'exists', 'wrongCode', 'illegal'] as RegistrationState[])(
    'in the state %s ends the link, and the device waits for minutes',
    async (state) => {
      const hub = stops.add(startHub({ accept: () => ({ state }) }));
      const device = stops.add(startDevice({ url: hub.url() }));
      await device.untilState('retrying');
      expect(device.states.map(({ name }) => name)).toEqual(['connecting', state, 'retrying']);
      const last = device.states.at(-1);
      expect(last?.name === 'retrying' && last.inMs >= rigTiming.refusedLeastMs).toBeTrue();
      expect(hub.links.stats()).toMatchObject({ up: 0, waiting: 0, greeting: 0 });
    },
  );

  test('puts off a device that has tried too often', async () => {
    let isEarly = true;
    const accept = () => (isEarly ? { retryMs: 30 } : ({ state: 'accepted' } as const));
    const hub = stops.add(startHub({ accept }));
    const device = stops.add(startDevice({ url: hub.url() }));
    await until(() => device.states.some((state) => state.name === 'retrying' && state.code === 'busy'));
    isEarly = false;
    await until(() => hub.links.isUp('SN1'));
  });

  test('of a device that is refused later ends its link at once', async () => {
    const { hub, device } = await startLink();
    hub.links.setState('SN1', 'deleted');
    expect(hub.links.isUp('SN1')).toBeFalse();
    await device.untilState('retrying');
    expect(device.states.map(({ name }) => name)).toEqual(['connecting', 'accepted', 'deleted', 'retrying']);
    expect(hub.downs).toEqual([['SN1', 1, 'refused']]);
  });

  test('refuses a second device with the same serial number', async () => {
    const { hub } = await startLink();
    const other = stops.add(startDevice({ url: hub.url() }));
    await other.untilState('retrying');
    expect(other.states.map(({ name }) => name)).toContain('exists');
    expect(hub.links.isUp('SN1')).toBeTrue();
    expect(hub.downs).toEqual([]);
  });

  test('lets a newer link of the same device replace the older one', async () => {
    const hub = stops.add(startHub());
    const identity = createIdentity();
    const slow = { ...rigTiming, lastRetryMs: 3_600_000 };
    const first = stops.add(startDevice({ url: hub.url(), identity, timing: slow }));
    await until(() => hub.links.isUp('SN1'));
    stops.add(startDevice({ url: hub.url(), identity }));
    await first.untilState('retrying');
    expect(first.states.at(-1)).toMatchObject({ code: 'replaced' });
    expect(hub.links.isUp('SN1')).toBeTrue();
    expect([hub.ups, hub.downs]).toEqual([
      [
        ['SN1', 1],
        ['SN1', 2],
      ],
      [['SN1', 1, 'replaced']],
    ]);
  });
});

describe('a crowd', () => {
  const limits = { greeting: 8, waiting: 1, proofsPerSecond: 1000 };

  test('of devices that wait is limited, and the others come again', async () => {
    const hub = stops.add(startHub({ limits, accept: () => ({ state: 'waiting' }) }));
    const first = stops.add(startDevice({ url: hub.url() }));
    await first.untilState('waiting');
    const second = stops.add(startDevice({ url: hub.url(), serial: 'SN2' }));
    await second.untilState('retrying');
    expect(second.states.at(-1)).toMatchObject({ code: 'busy' });
    expect(hub.links.stats()).toMatchObject({ waiting: 1 });
    hub.links.setState('SN1', 'accepted');
    const third = stops.add(startDevice({ url: hub.url(), serial: 'SN3' }));
    await third.untilState('waiting');
  });

  test('of connections that prove nothing is limited', async () => {
    const hub = stops.add(startHub({ limits }));
    const sockets = Array.from({ length: 2 }, () => new WebSocket(hub.url(), 'hublink.1'));
    await until(() => hub.links.stats().greeting === 2);
    const device = stops.add(startDevice({ url: hub.url() }));
    await device.untilState('retrying');
    for (const socket of sockets) socket.close();
    await until(() => hub.links.isUp('SN1'));
  });

  test('of handshakes is spread over time', async () => {
    const hub = stops.add(startHub({ limits: { ...limits, proofsPerSecond: 0 } }));
    const device = stops.add(startDevice({ url: hub.url() }));
    await device.untilState('retrying');
    expect(device.states.at(-1)).toMatchObject({ code: 'busy' });
    expect(hub.claims).toEqual([]);
  });
});

describe('the identities', () => {
  test('are proven both ways, and another hub is refused', async () => {
    const [own, foreign] = [createIdentity(), createIdentity()];
    const hub = stops.add(startHub({ identity: own }));
    const device = stops.add(startDevice({ url: hub.url(), hubKey: own.publicKey }));
    await device.untilState('accepted');
    expect(device.states.at(-1)).toEqual({ name: 'accepted', hubKey: own.publicKey });
    const misled = stops.add(startDevice({ url: hub.url(), hubKey: foreign.publicKey, serial: 'SN2' }));
    await misled.untilState('retrying');
    expect(misled.states.at(-1)).toMatchObject({ code: 'identity' });
    expect(hub.claims.map(({ serial }) => serial)).toEqual(['SN1']);
  });

  test('of a hub are refused if someone in the middle shows another certificate', async () => {
    const [ofHub, ofThief] = certificates as [Tls, Tls];
    const identity = createIdentity();
    // The thief passes everything on; both sides then see different certificates.
    const hub = stops.add(startHub({ identity, tls: ofThief, certificate: startHubCertificate(ofHub) }));
    const device = stops.add(startDevice({ url: hub.url(), hubKey: identity.publicKey }));
    await device.untilState('retrying');
    expect(device.states.at(-1)).toMatchObject({ code: 'identity' });
    expect(hub.claims).toEqual([]);
  });

  test('stay the same when the hub gets a new certificate', async () => {
    const identity = createIdentity();
    const [first, second] = certificates as [Tls, Tls];
    const old = startHub({ identity, tls: first });
    const device = stops.add(startDevice({ url: old.url(), hubKey: identity.publicKey }));
    await device.untilState('accepted');
    await old.stop();
    const renewed = stops.add(startHub({ identity, tls: second, port: old.port }));
    await until(() => renewed.links.isUp('SN1'));
  });
});

function startHubCertificate({ cert }: Tls): () => Uint8Array {
  const hash = new Bun.CryptoHasher('sha256').update(Buffer.from(cert.replaceAll(/-----.*-----|\s/g, ''), 'base64'));
  const digest = hash.digest();
  return () => digest;
}

describe('a link that breaks', () => {
  test('ends every stream at once, and the device comes back', async () => {
    const origin = startOrigin();
    const hub = stops.add(startHub());
    const gate = await openGate({ to: hub.port });
    stops.add(startDevice({ url: hub.url(gate.port) }));
    await until(() => hub.links.isUp('SN1'));
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => hub.links.open('SN1', { kind: 'tcp', port: origin.port, priority: 'bulk' })),
    );
    gate.cut('reset');
    expect(await Promise.all(streams.map(({ closed }) => closed))).toEqual(Array(10).fill('offline'));
    await until(() => hub.links.isUp('SN1'));
    expect(hub.ups.map(([, generation]) => generation)).toEqual([1, 2]);
  });

  test('in the middle of a download loses no byte that a range request cannot fetch', async () => {
    const origin = startOrigin();
    const hub = stops.add(startHub());
    const gate = await openGate({ to: hub.port });
    stops.add(startDevice({ url: hub.url(gate.port) }));
    const parts: Uint8Array[] = [];
    let got = 0;
    let cuts = 0;
    while (got < body.length) {
      await until(() => hub.links.isUp('SN1'));
      try {
        const response = await via(hub, origin.port, '/large', { headers: { range: `bytes=${got}-` } });
        const reader = response.body?.getReader();
        for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
          parts.push(read.value);
          got += read.value.length;
          if (cuts >= 4 || got < ((cuts + 1) * body.length) / 6) continue;
          cuts += 1;
          gate.cut(cuts % 2 === 0 ? 'reset' : 'end');
        }
      } catch {
        // Cut off; the rest follows.
      }
    }
    expect(cuts).toBe(4);
    expect(Bun.hash(Buffer.concat(parts))).toBe(Bun.hash(body));
  });

  test('without a sign is found on both sides, soon if a user waits', async () => {
    const quick = { ...rigTiming, pingMs: 300, deadMs: 20_000, probeMs: 400, tickMs: 50 };
    const hub = stops.add(startHub({ timing: quick }));
    const gate = await openGate({ to: hub.port });
    const device = stops.add(startDevice({ url: hub.url(gate.port), timing: { ...quick, deadMs: 1500 } }));
    await device.untilState('accepted');
    gate.freeze();
    const stream = await hub.links.open('SN1', { kind: 'tcp', port: 80, priority: 'interactive' });
    const began = performance.now();
    expect(await stream.closed).toBe('offline');
    expect(performance.now() - began).toBeLessThan(quick.deadMs / 2);
    expect(hub.downs).toEqual([['SN1', 1, 'silent']]);
    await until(() => device.states.some((state) => state.name === 'retrying' && state.code === 'silent'));
    gate.thaw();
    await until(() => hub.links.isUp('SN1'));
  });

  test('because the hub stops is dialed again', async () => {
    const identity = createIdentity();
    const hub = startHub({ identity });
    const device = stops.add(startDevice({ url: hub.url() }));
    await until(() => hub.links.isUp('SN1'));
    await hub.stop();
    await device.untilState('retrying');
    expect(device.states.at(-1)).toMatchObject({ code: 'closed' });
    const back = stops.add(startHub({ identity, port: hub.port }));
    await until(() => back.links.isUp('SN1'));
  });
});
