import { afterEach, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { openDirectStream } from '../../devices/direct-stream.ts';
import { createForwardRunner } from './runner.ts';
import type { ForwardRow } from './store.ts';
import { maxVisits, type VisitEntry } from './visits.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const row: ForwardRow = {
  ...{ id: 1, deviceId: 1, sn: 'SN1', name: 'Shell', remotePort: 22, localPort: 0, address: '127.0.0.1' },
  ...{ isPermanent: false, idleMinutes: 1, isStarted: true, reason: null, openPort: 0, ownerId: 1, tokenId: 0 },
  ...{ createdAt: 0, revision: 1 },
};

/** A runner whose minute is short, and a device that returns what it gets. */
function startRunner(more: { minuteMs?: number; visitMs?: number } = {}) {
  const device = Bun.listen({
    ...{ hostname: '127.0.0.1', port: 0 },
    socket: { data: (socket, bytes) => void socket.write(bytes) },
  });
  const entries: VisitEntry[] = [];
  const outgoing = { resolve: () => Promise.resolve(['127.0.0.1'] as const) };
  const runner = createForwardRunner({
    timing: { checkMs: 10, retryMs: 10, visitMs: 30, minuteMs: 60_000, ...more },
    admits: () => true,
    openPort: () =>
      openDirectStream({ host: 'device', port: device.port, mayBeOwn: true }, { outgoing, connectMs: 5000 }),
    record: (entry) => void entries.push(entry),
  });
  stops.push(() => {
    runner.close(row.id);
    device.stop(true);
  });
  return { runner, entries, port: runner.open(row) };
}

async function connect(port: number, hostname = '127.0.0.1') {
  const client = { isClosed: false, received: 0 };
  const socket = await Bun.connect({
    ...{ hostname, port },
    socket: {
      data(_, bytes) {
        client.received += bytes.length;
      },
      close() {
        client.isClosed = true;
      },
    },
  });
  stops.push(() => socket.terminate());
  return Object.assign(client, { socket });
}

test('a connection without traffic is closed after the idle limit, and one with traffic stays', async () => {
  const { runner, port } = startRunner({ minuteMs: 200 });
  const [quiet, busy] = [await connect(port), await connect(port)];
  await until(() => {
    busy.socket.write('x');
    expect(runner.isUnused(row)).toBeFalse();
    return quiet.isClosed;
  });
  expect(busy.isClosed).toBeFalse();
  expect(runner.of(row.id)?.listener?.connections).toBe(1);
});

test('a forward is unused when it has had no connection for the idle limit', async () => {
  const { runner, port } = startRunner({ minuteMs: 50 });
  const client = await connect(port);
  client.socket.write('x');
  await until(() => client.received > 0);
  expect(runner.isUnused(row)).toBeFalse();
  client.socket.end();
  await until(() => runner.isUnused(row));
  expect(runner.isUnused({ ...row, idleMinutes: 0 })).toBeFalse();
});

test('many connections of one address are one visit, which ends when it has had none for a while', async () => {
  const { runner, entries, port } = startRunner();
  for (let count = 0; count < 5; count++) {
    const client = await connect(port);
    client.socket.write('12345');
    await until(() => client.received === 5);
    client.socket.end();
  }
  await until(() => {
    runner.check();
    return entries.length === 2;
  });
  expect(entries).toEqual([
    { forwardId: 1, peer: '127.0.0.1', action: 'forward.connect', changes: [{ word: 'client', value: '127.0.0.1' }] },
    {
      ...{ forwardId: 1, peer: '127.0.0.1', action: 'forward.disconnect' },
      changes: [
        { word: 'client', value: '127.0.0.1' },
        { word: 'connections', value: '5' },
        { word: 'received', value: '25 B' },
        { word: 'sent', value: '25 B' },
      ],
    },
  ]);
});

test('the number of visits at a time is limited', async () => {
  const { createVisits } = await import('./visits.ts');
  const entries: VisitEntry[] = [];
  const visits = createVisits({ quietMs: 0, now: () => 0, record: (entry) => void entries.push(entry) });
  for (let count = 0; count < maxVisits + 10; count++) visits.opened(1, `10.0.0.${count}`);
  expect(entries).toHaveLength(maxVisits);
  visits.endAll(1);
  expect(entries).toHaveLength(2 * maxVisits);
});

test('a port that is in use fails, and is due again after a while', async () => {
  const { runner, port } = startRunner();
  expect(() => runner.open({ ...row, id: 2, localPort: port })).toThrow();
  runner.fail(2, 'portOccupied');
  expect(runner.of(2)).toMatchObject({ listener: undefined, fault: 'portOccupied' });
  await until(() => runner.isDue(2));
});
