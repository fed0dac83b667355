/** A session on a fake socket and clock, with a client that speaks just enough RTMP. */
import { createFlvBus, type FlvMessage } from '../flv/flv-bus.ts';
import { createFlvSink } from '../flv/flv-sink.ts';
import { ChunkReader } from './chunk-reader.ts';
import { encodeMessages } from './chunk-writer.ts';
import { type Command, commandMessage, parseCommand } from './commands.ts';
import { ClientHandshake } from './handshake.ts';
import {
  defaultSessionLimits,
  type PlayGrant,
  type PublishGrant,
  type Refusal,
  type RtmpClientHandle,
} from './hooks.ts';
import { RtmpSession } from './session.ts';

interface Wire {
  type: number;
  timestamp: number;
  payload: Uint8Array;
}

const handshakeBytes = 1 + 2 * 1536;

export function createBench(answers: { publish?: Refusal; play?: Refusal; keyWait?: () => number | undefined } = {}) {
  let clock = 0;
  const bus = createFlvBus(undefined, () => clock);
  const logs: { level: string; text: string; reason: unknown }[] = [];
  const events: string[] = [];
  const keys: string[] = [];
  const marks: number[] = [];
  let client: RtmpClientHandle | undefined;
  const sent: Buffer[] = [];
  const socket = {
    room: Number.POSITIVE_INFINITY,
    ended: '',
    write(data: Uint8Array, offset: number, length: number): number {
      const count = Math.min(socket.room, length);
      socket.room -= count;
      sent.push(Buffer.from(data.subarray(offset, offset + count)));
      return count;
    },
    end: () => {
      socket.ended = 'end';
    },
    terminate: () => {
      socket.ended = 'terminate';
    },
  };
  const session = new RtmpSession(socket, {
    connectionId: 7,
    peer: '192.0.2.1:5000',
    limits: defaultSessionLimits,
    now: () => clock,
    setReceiveMark: (bytes) => marks.push(bytes),
    movable: { descriptor: () => -1, pause: () => undefined, resume: () => undefined },
    hooks: {
      keyWait: () => (answers.keyWait ? answers.keyWait() : 0),
      publish(request): PublishGrant | Refusal {
        keys.push(request.key);
        client = request.client;
        if (answers.publish) return answers.publish;
        const sink = createFlvSink(bus);
        const close = (reason: string) => {
          events.push(`publisher closed: ${reason}`);
          sink.close(reason);
        };
        return { ok: true, sink: { message: (m) => sink.message(m), flush: () => sink.flush(), close } };
      },
      play(request): PlayGrant | Refusal {
        keys.push(request.key);
        client = request.client;
        return answers.play ?? { ok: true, bus, onClosed: (reason) => events.push(`player closed: ${reason}`) };
      },
      log: (level, text, fields) => logs.push({ level, text, reason: fields.reason }),
    },
  });

  const received = (): Wire[] => {
    const messages: Wire[] = [];
    const reader = new ChunkReader(
      (type, _id, timestamp, payload) => messages.push({ type, timestamp, payload }),
      1 << 24,
    );
    reader.feed(Buffer.concat(sent).subarray(handshakeBytes));
    return messages;
  };
  return {
    session,
    socket,
    bus,
    logs,
    events,
    keys,
    marks,
    received,
    client: () => client,
    commands: (): Command[] =>
      received()
        .filter(({ type }) => type === 20)
        .map(({ payload }) => parseCommand(20, payload)),
    send: (...messages: Uint8Array[]) => session.receive(Buffer.concat(messages)),
    pass(ms: number) {
      clock += ms;
      session.tick();
    },
    shakeHands() {
      session.receive(Buffer.from(new ClientHandshake().hello()));
      session.receive(Buffer.alloc(1536));
    },
    open(app = 'live') {
      this.shakeHands();
      this.send(commandMessage(0, 'connect', 1, { app, flashVer: 'test\u0007er' }));
    },
  };
}

export const publish = (key: string) => commandMessage(1, 'publish', 3, null, key, 'live');
export const play = (key: string) => commandMessage(1, 'play', 3, null, key);
export const video = (timestamp: number, first = 0x17): FlvMessage => ({
  type: 9,
  timestamp,
  payload: Uint8Array.of(first, 1, 0, 0, 0, 9),
});
export const mediaBytes = (...messages: FlvMessage[]) => encodeMessages(messages, 1, 128);
export const badName: Refusal = { ok: false, code: 'NetStream.Publish.BadName', text: 'busy' };
