import { afterEach, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { until } from '../../../tests/support/until.ts';
import { setReceiveMark } from './receive-mark.ts';

const open: { stop(isForced: boolean): void }[] = [];
afterEach(() => {
  for (const listener of open.splice(0)) listener.stop(true);
});

async function connect() {
  const reads: number[] = [];
  let isClosed = false;
  const accepted = Promise.withResolvers<Socket>();
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => accepted.resolve(socket),
      data: (_socket, bytes) => void reads.push(bytes.length),
      close: () => {
        isClosed = true;
      },
    },
  });
  open.push(listener);
  const socket = { data: () => {} };
  const client = await Bun.connect({ hostname: '127.0.0.1', port: listener.port, socket });
  // A second connection whose bytes are read after those of the first, had they been reported.
  const probe = await Bun.connect({ hostname: '127.0.0.1', port: listener.port, socket });
  const settle = async () => {
    const before = reads.length;
    probe.write('x');
    await until(() => reads.slice(before).includes(1));
    reads.splice(reads.indexOf(1, before), 1);
  };
  const peer = await accepted.promise;
  return { peer, client, reads, settle, isClosed: () => isClosed };
}

test('bytes are read once as many as the mark have come', async () => {
  const { peer, client, reads, settle } = await connect();
  setReceiveMark(peer, 4000);
  client.write(Buffer.alloc(1000));
  await settle();
  expect(reads).toEqual([]);
  client.write(Buffer.alloc(3000));
  await until(() => reads.length > 0);
  expect(reads).toEqual([4000]);
});

test('waiting bytes are read when the mark is lowered', async () => {
  const { peer, client, reads, settle } = await connect();
  setReceiveMark(peer, 4000);
  client.write(Buffer.alloc(700));
  await settle();
  setReceiveMark(peer, 1);
  await until(() => reads.length > 0);
  expect(reads).toEqual([700]);
});

test('what came before the end of the connection is read', async () => {
  const { peer, client, reads, isClosed } = await connect();
  setReceiveMark(peer, 4000);
  client.write(Buffer.alloc(600));
  client.end();
  await until(isClosed);
  expect(reads).toEqual([600]);
  // Another connection may have the descriptor now.
  setReceiveMark(peer, 4000);
});
