/** The helper as a process for each connection: what it refuses, when it ends, and what cannot influence it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHelperClient } from '../../daemon/appliance/helper/client.ts';
import { longestRequest } from '../../daemon/appliance/helper/operations.ts';
import { MissingPart } from '../../daemon/appliance/missing-part.ts';
import { HubError } from '../../daemon/lib/hub-error.ts';
import { dividedTiming } from '../../daemon/timing.ts';
import { type HelperSocket, openHelperSocket } from '../support/helper-socket.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

const divisor = 5;
const { requestMs } = dividedTiming(divisor).helper;
/** A process of the helper starts within this time, even with many beside it. */
const startMs = 20_000;
const asker = { user: 'Admin', address: '192.168.1.7' };

let folder: string;
let helper: HelperSocket;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-helper-'));
  helper = openHelperSocket({ folder, env: { SIGNALBOX_TIME_DIVISOR: String(divisor) } });
});
afterAll(async () => {
  await helper.close();
  rmSync(folder, { recursive: true });
});

/** A connection and all that the helper has answered. */
function connect(): { readonly socket: Socket; readonly answer: Promise<unknown> } {
  const socket = createConnection({ path: helper.path });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  let text = '';
  socket.on('data', (chunk) => (text += chunk));
  // The helper stops reading what is too long.
  socket.on('error', () => {});
  socket.on('close', () => resolve(text === '' ? undefined : JSON.parse(text)));
  return { socket, answer: promise };
}

async function send(text: string | Uint8Array): Promise<unknown> {
  const { socket, answer } = connect();
  socket.write(text);
  return await answer;
}

const request = (members: object) => `${JSON.stringify({ op: 'firewall.read', ...asker, ...members })}\n`;

describe('A11: the helper refuses and logs', () => {
  test('an unknown operation', async () => {
    expect(await send(request({ op: 'shell.run' }))).toMatchObject({ ok: false, error: 'unknownOperation' });
    await until(() =>
      /refused op=shell\.run user=Admin address=192\.168\.1\.7 ms=\d+ error=unknownOperation/.test(helper.log()),
    );
  });

  test('a further member', async () => {
    expect(await send(request({ path: '/etc/passwd' }))).toMatchObject({ ok: false, error: 'badRequest' });
    await until(() => helper.log().includes('reason="firewall.read has a member that it must not have"'));
  });

  test('10 MB, in one line or in many', async () => {
    for (const [byte, error] of [
      ['x', 'tooLong'],
      ['\n', 'badRequest'],
    ] as const) {
      const before = helper.log().length;
      // The answer may get lost, because the helper ends while the peer still sends.
      const answer = await send(Buffer.alloc(10 << 20, byte));
      if (answer !== undefined) expect(answer).toMatchObject({ ok: false, error });
      await until(() => helper.log().slice(before).includes(`error=${error}`));
    }
    expect(helper.log()).toContain(`reason="a line has at most ${longestRequest} bytes"`);
    await until(() => helper.running() === 0);
  });

  test('half a line', async () => {
    const { socket, answer } = connect();
    socket.end(request({}).slice(0, 20));
    expect(await answer).toMatchObject({ ok: false, error: 'badRequest' });
    await until(() => helper.log().includes('reason="the connection ended before its line did"'));
  });

  test('a writer that is too slow and one that says nothing, within their time limit', async () => {
    await until(() => helper.running() === 0);
    const before = helper.ended().length;
    const [slow, silent] = [connect(), connect()];
    // It leaves before its process has started.
    connect().socket.destroy();
    const drip = setInterval(() => slow.socket.write('{'), requestMs / 10);
    try {
      for (const { answer } of [slow, silent]) expect(await answer).toMatchObject({ ok: false, error: 'timeout' });
    } finally {
      clearInterval(drip);
    }
    await until(() => helper.running() === 0);
    const times = helper
      .ended()
      .slice(before)
      .map(({ ms }) => ms)
      .toSorted((a, b) => a - b);
    expect(times.length).toBe(3);
    expect(times[1]).toBeGreaterThan(requestMs - 100);
    expect(times[2]).toBeLessThan(requestMs + startMs);
  });
});

test('A11: each of 50 requests at once gets its answer', async () => {
  const before = helper.ended().length;
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(request({}))));
  for (const answer of answers) expect(answer).toHaveProperty('ok');
  await until(() => helper.ended().length >= before + 50);
  expect(
    new Set(
      helper
        .ended()
        .slice(before)
        .map(({ code }) => code),
    ),
  ).toEqual(new Set([0]));
  const lines = helper.log().match(/op=firewall\.read user=Admin address=192\.168\.1\.7 ms/g);
  expect(lines?.length).toBeGreaterThanOrEqual(50);
});

test('A11: connections above the limit of the service end at once, and the others are served', async () => {
  const own = join(folder, 'few');
  mkdirSync(own);
  const few = openHelperSocket({ folder: own, maxConnections: 2 });
  try {
    const client = () => createHelperClient(few.path).call('firewall.read', {}, asker);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, client));
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    const isPartOf = (reason: unknown, part: string) => reason instanceof MissingPart && reason.part === part;
    const ended = reasons.filter((reason) => isPartOf(reason, 'helper'));
    expect(ended.length).toBeGreaterThanOrEqual(1);
    // Where this user may not read the packet filter, or there is none, the helper says so.
    const answered = reasons.filter((reason) => reason instanceof HubError && !isPartOf(reason, 'helper'));
    expect(ended.length + answered.length).toBe(reasons.length);
    expect(outcomes.length - ended.length).toBeGreaterThanOrEqual(2);
  } finally {
    await few.close();
  }
});

test('a missing helper is reported as such, and one that says nothing after the time limit', async () => {
  const reasonOf = async (path: string, answerMs: number) => {
    const call = createHelperClient(path, { ...dividedTiming(1).helper, answerMs }).call('firewall.read', {}, asker);
    const error = await call.catch((reason: unknown) => reason);
    return error instanceof MissingPart ? `${error.part} ${error.fault}` : error;
  };
  expect(await reasonOf(join(folder, 'none.sock'), 1000)).toBe('helper absent');
  const left = join(folder, 'left.sock');
  writeFileSync(left, '');
  expect(await reasonOf(left, 1000)).toBe('helper absent');
  const answering = async (name: string, serve: (socket: Socket) => void) => {
    const server = createServer({ allowHalfOpen: true }, serve).listen(join(folder, name));
    await once(server, 'listening');
    const reason = await reasonOf(join(folder, name), 300);
    server.close();
    return reason;
  };
  expect(await answering('silent.sock', () => {})).toBe('helper silent');
  for (const text of ['', 'no JSON\n', '{}\n', '{"ok":true}\n', '{"ok":false,"error":"else"}\n']) {
    expect(await answering('wrong.sock', (socket) => void socket.end(text))).toBe('helper silent');
  }
});
