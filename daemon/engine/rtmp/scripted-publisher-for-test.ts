/** An RTMP publisher for tests: sends the messages that the test makes, in chunks of any size. */
import type { Socket } from 'bun';
import { ChunkReader } from './chunk-reader.ts';
import { encodeMessages, type OutgoingMessage, uint32Message } from './chunk-writer.ts';
import { commandMessage, parseCommand, readInfo } from './commands.ts';
import { ClientHandshake } from './handshake.ts';
import { messageTypeId } from './protocol.ts';

export interface ScriptedPublisher {
  readonly socket: Socket<undefined>;
  readonly closed: Promise<void>;
  /** Codes that the server sent. */
  readonly statuses: string[];
  /** Numbers of bytes that the server acknowledged. */
  readonly acknowledged: number[];
  send(...messages: readonly OutgoingMessage[]): void;
  write(bytes: Uint8Array): void;
}

export async function startScriptedPublisher(port: number, key: string, chunkBytes = 4096): Promise<ScriptedPublisher> {
  const closed = Promise.withResolvers<void>();
  const shaken = Promise.withResolvers<void>();
  const statuses: string[] = [];
  const acknowledged: number[] = [];
  const handshake = new ClientHandshake();
  const reader = new ChunkReader((type, _streamId, _timestamp, payload) => {
    if (type === messageTypeId.acknowledgement) acknowledged.push(new DataView(payload.buffer).getUint32(0));
    if (type !== messageTypeId.command) return;
    const { name, args } = parseCommand(type, payload);
    if (name === 'onStatus') statuses.push(readInfo(args[0]).code);
  }, 64 << 10);
  let isShaken = false;
  const waiting: Uint8Array[] = [];
  const flush = (socket: Socket<undefined>): void => {
    for (let first = waiting[0]; first; first = waiting[0]) {
      const written = Math.max(0, socket.write(first));
      if (written < first.length) {
        waiting[0] = first.subarray(written);
        return;
      }
      waiting.shift();
    }
  };
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (opened) => void opened.write(handshake.hello()),
      data(opened, bytes) {
        if (isShaken) {
          reader.feed(bytes);
          return;
        }
        const { used, reply, isDone } = handshake.feed(bytes);
        if (reply) opened.write(reply);
        isShaken = isDone;
        if (isDone) shaken.resolve();
        reader.feed(bytes.subarray(used));
      },
      drain: flush,
      close: () => closed.resolve(),
    },
  });
  await shaken.promise;
  const write = (bytes: Uint8Array): void => {
    waiting.push(bytes);
    if (waiting.length === 1) flush(socket);
  };
  write(commandMessage(0, 'connect', 1, { app: 'live' }));
  write(uint32Message(messageTypeId.setChunkSize, chunkBytes));
  write(commandMessage(0, 'createStream', 2, null));
  write(commandMessage(1, 'publish', 3, null, key, 'live'));
  return {
    socket,
    statuses,
    acknowledged,
    closed: closed.promise,
    write,
    send: (...messages) => write(encodeMessages(messages, 1, chunkBytes)),
  };
}
