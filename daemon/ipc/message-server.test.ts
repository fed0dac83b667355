import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../tests/support/until.ts';
import { createLog } from '../lib/log.ts';
import type { EngineMessages } from '../media/protocol/messages.ts';
import { openMessageServer } from './message-server.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-control-'));
  const path = join(folder, 'engine.sock');
  const heard: string[] = [];
  const opened: (() => void)[] = [];
  const control = openMessageServer<EngineMessages>({
    path,
    log: createLog('error', () => undefined),
    onMessage: (message) => heard.push(message.type === 'stop' ? message.reason : message.type),
    onOpen: () => opened.shift()?.(),
  });
  cleanups.push(
    () => rmSync(folder, { recursive: true }),
    () => control.close(),
  );
  const hub = async (): Promise<Socket> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    opened.push(resolve);
    const socket = connect({ path, allowHalfOpen: true });
    socket.on('error', () => undefined);
    cleanups.push(() => socket.destroy());
    await promise;
    return socket;
  };
  const say = (socket: Socket, reason: string) =>
    new Promise<void>((resolve) => socket.write(`${JSON.stringify({ type: 'stop', reason })}\n`, () => resolve()));
  return { control, heard, hub, say };
}

test('messages of a hub are ignored after another hub connected', async () => {
  const { heard, hub, say } = setUp();
  const first = await hub();
  await say(first, 'the first');
  await until(() => heard.length > 0);
  const second = await hub();
  await say(first, 'the first, late');
  await say(second, 'the second');
  await until(() => heard.includes('the second'));
  expect(heard).toEqual(['the first', 'the second']);
});

const sized = (bytes: number) => ({ type: 'event', at: 0, level: 'info', text: 'x'.repeat(bytes) }) as const;

test('a report of any size reaches a hub that reads', async () => {
  const { control, hub } = setUp();
  const socket = await hub();
  const { promise, resolve } = Promise.withResolvers<void>();
  let received = 0;
  socket.on('data', (bytes) => {
    received += bytes.length;
    if (received > 12 << 20) resolve();
  });
  control.send(sized(6 << 20));
  control.send(sized(6 << 20));
  await promise;
  expect(control.isConnected).toBe(true);
});

test('a hub that does not read is cut off', async () => {
  const { control, hub } = setUp();
  const socket = await hub();
  socket.pause();
  let sent = 0;
  while (control.isConnected && sent < 64) {
    control.send(sized(1 << 20));
    sent++;
    await Bun.sleep(0);
  }
  expect(control.isConnected).toBe(false);
  expect(sent).toBeLessThan(40);
});
