/** How the RTMP server reads a publisher, on real sockets. */
import { expect, test } from 'bun:test';
import { toLoopback } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { createFlvBus, type FlvMessage } from '../flv/flv-bus.ts';
import { createFlvSink } from '../flv/flv-sink.ts';
import { startEngineDouble } from './engine-double-for-test.ts';
import { RtmpPush } from './push.ts';

const picture = (timestamp: number): FlvMessage => {
  const payload = new Uint8Array(4000);
  payload.set([timestamp === 0 ? 0x17 : 0x27, 1]);
  return { type: 9, timestamp, payload };
};
const audio = (timestamp: number): FlvMessage => ({ type: 8, timestamp, payload: Uint8Array.of(0xaf, 1, 7) });

async function startStream() {
  const engine = startEngineDouble();
  const units: number[][] = [];
  const cursor = engine.bus.ring.subscribe(() => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) units.push(unit.messages.map(({ type }) => type));
  });
  const bus = createFlvBus();
  const sink = createFlvSink(bus);
  const onStage = () => {};
  const push = new RtmpPush({ outgoing: toLoopback, url: engine.url('push'), key: '', bus, onStage, onEnd: onStage });
  push.start();
  await until(() => engine.isPublishing());
  return {
    units,
    send(message: FlvMessage) {
      sink.message(message);
      sink.flush();
    },
    [Symbol.dispose]() {
      void push.stop();
      engine.server.close('test over');
    },
  };
}

test('audio and the next picture are read together, and so form one unit', async () => {
  using stream = await startStream();
  const { units, send } = stream;
  // Audio waits for at most 45 ms, so on a busy machine several attempts may be needed.
  for (let time = 0; !units.some((types) => types.join() === '8,9'); time += 40) {
    const seen = units.flat().length;
    send(picture(time));
    await until(() => units.flat().length > seen);
    send(audio(time + 10));
    // Time in which audio alone would be read.
    await Bun.sleep(5);
    send(picture(time + 20));
    await until(() => units.flat().length === seen + 3);
  }
});

test('audio arrives even if no picture follows', async () => {
  using stream = await startStream();
  const { units, send } = stream;
  send(picture(0));
  await until(() => units.length === 1);
  send(audio(10));
  send(audio(20));
  await until(() => units.flat().length === 3);
  expect(units.flat()).toEqual([9, 8, 8]);
});
