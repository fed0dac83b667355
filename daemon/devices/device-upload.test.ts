import { afterEach, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDeviceCertificate } from '../../tests/support/device-certificates.ts';
import { privateAllowed } from '../../tests/support/outgoing.ts';
import { createOutgoing, systemLookup } from '../lib/outgoing.ts';
import { timing } from '../timing.ts';
import { fileForm } from './device-upload.ts';
import type { DeviceRequest, Transport } from './driver.ts';
import { directTransport, socketTransport } from './transport.ts';

const outgoing = createOutgoing({ rules: () => privateAllowed, lookup: systemLookup, ...timing.outgoing });
const unaborted = new AbortController().signal;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const part = new Uint8Array(64 * 1024).map((_, at) => at % 251);
/** `read` counts what was taken of the file. */
function fileOf(parts: number) {
  const taken = { parts: 0, isEnded: false };
  const read = async function* () {
    try {
      for (; taken.parts < parts; taken.parts += 1) yield part;
    } finally {
      taken.isEnded = true;
    }
  };
  return { file: { name: 'a "b"\r\n.mwf', bytes: parts * part.length, read }, taken };
}
const post = (body: DeviceRequest['body'], more: Partial<DeviceRequest> = {}): DeviceRequest => ({
  ...{ method: 'POST', path: '/upload', timeoutMs: 5000, maxBytes: 1000, ...(body && { body }) },
  ...more,
});

async function answer(request: Request): Promise<Response> {
  const file = (await request.formData()).get('file') as File;
  const sha256 = createHash('sha256')
    .update(await file.bytes())
    .digest('hex');
  const length = request.headers.get('content-length');
  return Response.json({ name: file.name, sha256, length, coding: request.headers.get('transfer-encoding') });
}

type Way = 'http' | 'https' | 'link';
function wayTo(way: Way): Transport {
  if (way === 'link') {
    const folder = mkdtempSync(join(tmpdir(), 'upload-'));
    const server = Bun.serve({ unix: join(folder, 'device.sock'), fetch: answer });
    closing.push(
      () => server.stop(true),
      () => rmSync(folder, { recursive: true }),
    );
    return socketTransport(join(folder, 'device.sock'));
  }
  const tls = way === 'https' ? makeDeviceCertificate('encoder') : undefined;
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer, ...(tls && { tls }) });
  closing.push(() => server.stop(true));
  const pin = tls && { fingerprint: tls.fingerprint };
  return directTransport(
    { protocol: tls ? 'https' : 'http', host: '127.0.0.1', port: server.port ?? 0, ...pin },
    outgoing,
  );
}

/** A device that handles the bytes itself. */
async function rawDevice(onData: (socket: Socket, total: number) => void): Promise<Transport> {
  let total = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      total += bytes.length;
      onData(socket, total);
    });
    closing.push(() => socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => server.close());
  const { port } = server.address() as { port: number };
  return directTransport({ protocol: 'http', host: '127.0.0.1', port }, outgoing);
}

test.each<Way>(['http', 'https', 'link'])(
  'over %s, a file arrives whole, with its length and not in chunks',
  async (way) => {
    const { file } = fileOf(100);
    const sha256 = createHash('sha256').update(Buffer.alloc(file.bytes, part)).digest('hex');
    const form = fileForm(file);
    const { body } = await wayTo(way).request(post(form), unaborted);
    const expected = { name: 'a _b___.mwf', sha256, length: `${form.bytes}`, coding: null };
    expect(JSON.parse(new TextDecoder().decode(body))).toEqual(expected);
  },
);

test('a device that answers before the end gets no more of the file', async () => {
  const { file, taken } = fileOf(10_000);
  const device = await rawDevice((socket, total) => {
    if (total > 200_000) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"status":29}');
  });
  const { body } = await device.request(post(fileForm(file)), unaborted);
  expect(new TextDecoder().decode(body)).toBe('{"status":29}');
  expect(taken.isEnded).toBe(true);
  expect(taken.parts).toBeLessThan(1000);
});

test('an aborted upload ends with the reason, and nothing more of the file is read', async () => {
  const { file, taken } = fileOf(100_000);
  const cancel = new AbortController();
  const device = await rawDevice((_, total) => {
    if (total > 200_000) cancel.abort(new Error('canceled'));
  });
  await expect(device.request(post(fileForm(file)), cancel.signal)).rejects.toThrow('canceled');
  expect(taken.isEnded).toBe(true);
});

test('a device that takes nothing more is late; a source that waits is not', async () => {
  const stuck = await rawDevice((socket) => socket.pause());
  const late = stuck.request(post(fileForm(fileOf(1000).file), { timeoutMs: 200 }), unaborted);
  await expect(late).rejects.toMatchObject({ word: 'timeout' });
  const slow = wayTo('http');
  const { file } = fileOf(3);
  const read = async function* () {
    for await (const bytes of file.read()) {
      await Bun.sleep(300);
      yield bytes;
    }
  };
  expect(await slow.request(post(fileForm({ ...file, read }), { timeoutMs: 200 }), unaborted)).toMatchObject({
    status: 200,
  });
});

test('an upload whose file cannot be read fails with that error', async () => {
  const { file } = fileOf(10);
  const read = async function* () {
    yield part;
    throw new Error('the disk is broken');
  };
  const sending = wayTo('http').request(post(fileForm({ ...file, read })), unaborted);
  await expect(sending).rejects.toThrow('the disk is broken');
});

test('a device that disappears during an upload is reported', async () => {
  const device = await rawDevice((socket, total) => {
    if (total > 200_000) socket.destroy();
  });
  const sending = device.request(post(fileForm(fileOf(10_000).file)), unaborted);
  await expect(sending).rejects.toMatchObject({ word: 'invalidAnswer' });
});
