/** Listeners of inputs and outputs, with the test in the role of the endpoint. */
import { expect, test } from 'bun:test';
import { connectionStates } from '../../contract/streams.ts';
import type { SrtStream } from '../../sources/stream-address.ts';
import type { Termination } from '../connection/connection.ts';
import type { Connection } from './connection.ts';
import { createSrtListeners } from './dedicated-listener.ts';
import type { ConnectionStatistics, EndpointOperation } from './protocol.ts';

const address: SrtStream = {
  protocol: 'srt',
  mode: 'listener',
  host: '0.0.0.0',
  port: 9000,
  latencyMs: 200,
  overheadPercent: 25,
  streamId: 'studio',
  passphrase: 'correct horse',
  keyLength: 32,
  maxConnections: 2,
};

function setUp(isUp = true) {
  const sent: EndpointOperation[] = [];
  const forgotten: number[] = [];
  const heard: string[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<Termination>();
  const listeners = createSrtListeners(
    (operation) => {
      sent.push(operation);
      return isUp;
    },
    (conn) => forgotten.push(conn),
  );
  const events = { connected: () => void heard.push('connected'), ended: resolve };
  return { sent, forgotten, heard, ended, events, listeners };
}

function connection(figures?: Partial<ConnectionStatistics>): Connection & { reasons: string[] } {
  const reasons: string[] = [];
  const none = {
    dir: 'out',
    rtt: 0,
    bytes: 0,
    kbps: 0,
    bandwidth_mbps: 0,
    packets: 0,
    loss: 0,
    retrans: 0,
    drop: 0,
  } as const;
  return {
    reasons,
    figures: figures && { ...none, buffer_ms: 0, latency: 0, ...figures },
    receive: () => undefined,
    closed: (reason) => void reasons.push(reason),
  };
}

test('an output opens a dedicated listener that sends, an input one that receives', () => {
  const { sent, listeners, events, heard } = setUp();
  listeners.open({ channelId: 4, outputId: 9, address, events });
  listeners.open({ channelId: 4, address: { ...address, keyLength: 0, maxConnections: 1 }, events });
  const same = {
    op: 'open-listener',
    feed: 4,
    bind: '0.0.0.0',
    port: 9000,
    latency: 200,
    oheadbw: 25,
    streamid: 'studio',
  };
  expect(sent).toMatchObject([
    { ...same, id: 1, direction: 'send', passphrase: 'correct horse', pbkeylen: 32, max: 2 },
    { ...same, id: 2, direction: 'receive', passphrase: '', pbkeylen: 0, max: 1 },
  ]);
  expect(heard).toEqual([]);
  listeners.event({ ev: 'listener', id: 1, state: 'listening' });
  expect(heard).toEqual(['connected']);
  expect([listeners.find(1)?.outputId, listeners.find(2)?.outputId, listeners.find(3)]).toEqual([
    9,
    undefined,
    undefined,
  ]);
});

test('it counts its peers, and keeps the bytes of peers that left', () => {
  const { listeners, events } = setUp();
  const attempt = listeners.open({ channelId: 4, outputId: 9, address, events });
  expect([attempt.clients, attempt.srt]).toEqual([0, undefined]);
  listeners.entered(
    1,
    70,
    connection({ bytes: 1000, packets: 20, skips: 1, rtt: 5, loss: 2, retrans: 1, buffer_ms: 30 }),
  );
  listeners.entered(1, 71, connection({ bytes: 500, packets: 10, rtt: 9, loss: 1, drop: 4, buffer_ms: 10 }));
  listeners.entered(1, 72, connection());
  expect([attempt.clients, attempt.bytes, attempt.skipped]).toEqual([3, 1500, 1]);
  expect(attempt.srt).toEqual({ rttMs: 9, packets: 30, lost: 3, retransmitted: 1, dropped: 4, bufferMs: 30 });
  listeners.left(70);
  listeners.left(70);
  expect([attempt.clients, attempt.bytes, attempt.skipped]).toEqual([2, 1500, 1]);
  expect(attempt.srt).toEqual({ rttMs: 9, packets: 30, lost: 3, retransmitted: 1, dropped: 4, bufferMs: 10 });
});

test('a peer refused for its passphrase is reported until a peer is accepted', () => {
  const { listeners, events } = setUp();
  const attempt = listeners.open({ channelId: 4, outputId: 9, address, events });
  expect(attempt.refused).toBeUndefined();
  listeners.refused(1, '192.0.2.7:5000');
  listeners.refused(2, '192.0.2.8:5000');
  expect(attempt.refused).toEqual({ peer: '192.0.2.7:5000', at: expect.any(Number) });
  listeners.entered(1, 70, connection());
  expect(attempt.refused).toBeUndefined();
});

test('closing it disconnects its peers, once, and later data of them is dropped', () => {
  const { sent, forgotten, listeners, events } = setUp();
  const attempt = listeners.open({ channelId: 4, address, events });
  const inside = connection();
  listeners.entered(1, 70, inside);
  attempt.close('input changed');
  attempt.close('input changed');
  expect([inside.reasons, forgotten]).toEqual([['listener closed'], [70]]);
  expect(sent.slice(1)).toEqual([{ op: 'close-listener', id: 1 }]);
  expect(listeners.find(1)).toBeUndefined();
});

test('a busy port is a temporary failure, other failures are permanent', async () => {
  const [busy, wrong] = [setUp(), setUp()];
  busy.listeners.open({ channelId: 4, address, events: busy.events });
  busy.listeners.event({ ev: 'listener', id: 1, state: 'failed', error: 'Address already in use', reason: 'busy' });
  const conn = connectionStates.creationFailed;
  expect(await busy.ended).toMatchObject({ conn, reason: 'addressInUse', permanent: false });
  wrong.listeners.open({ channelId: 4, address, events: wrong.events });
  wrong.listeners.event({
    ev: 'listener',
    id: 1,
    state: 'failed',
    error: 'Cannot assign requested address',
    reason: 'no address',
  });
  expect(await wrong.ended).toMatchObject({ conn, reason: 'internal', permanent: true });
});

test('without the endpoint it ends, and its peers are gone', async () => {
  const [absent, gone] = [setUp(false), setUp()];
  absent.listeners.open({ channelId: 4, address, events: absent.events });
  expect(await absent.ended).toMatchObject({ reason: 'partMissing', permanent: false });
  const inside = connection();
  gone.listeners.open({ channelId: 4, address, events: gone.events });
  gone.listeners.entered(1, 70, inside);
  gone.listeners.endAll();
  expect(await gone.ended).toMatchObject({ reason: 'partMissing' });
  expect(inside.reasons).toEqual(['endpoint gone']);
});
