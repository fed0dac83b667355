/** An RTMP player for tests: keeps the data that it receives, and can stop reading. */
import type { Socket } from 'bun';
import { ChunkReader } from './chunk-reader.ts';
import { type Command, commandMessage, parseCommand, readInfo } from './commands.ts';
import { ClientHandshake } from './handshake.ts';
import { messageTypeId, userControlEvent } from './protocol.ts';
import type { ScriptedMessage } from './scripted-server-for-test.ts';

export interface ScriptedPlayer {
  readonly media: ScriptedMessage[];
  readonly statuses: string[];
  /** Answers to pings. */
  readonly pongs: number[];
  readonly socket: Socket<undefined>;
  /** Resolves when the server ends the connection. */
  readonly closed: Promise<void>;
}

export async function startScriptedPlayer(port: number, key: string, app = 'live'): Promise<ScriptedPlayer> {
  const media: ScriptedMessage[] = [];
  const statuses: string[] = [];
  const pongs: number[] = [];
  const closed = Promise.withResolvers<void>();
  const handshake = new ClientHandshake();
  let isShaken = false;

  const onCommand = ({ name, args }: Command): void => {
    if (name === 'onStatus' || name === '_error') statuses.push(readInfo(args[0]).code);
  };
  const reader = new ChunkReader((type, streamId, timestamp, payload) => {
    if (type === messageTypeId.userControl && payload[1] === userControlEvent.pingResponse) {
      pongs.push(Buffer.from(payload).readUInt32BE(2));
    } else if (type === messageTypeId.command) onCommand(parseCommand(type, payload));
    else if (type === messageTypeId.audio || type === messageTypeId.video) {
      media.push({ type, streamId, timestamp, payload });
    }
  }, 16 << 20);

  const receive = (socket: Socket<undefined>, bytes: Buffer): void => {
    if (isShaken) {
      reader.feed(bytes);
      return;
    }
    const { used, reply, isDone } = handshake.feed(bytes);
    if (reply) socket.write(reply);
    if (!isDone) return;
    isShaken = true;
    socket.write(commandMessage(0, 'connect', 1, { app, tcUrl: `rtmp://127.0.0.1/${app}` }));
    socket.write(commandMessage(0, 'createStream', 2, null));
    socket.write(commandMessage(1, 'play', 3, null, key));
    reader.feed(bytes.subarray(used));
  };
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (opened) => void opened.write(handshake.hello()),
      data: receive,
      close: () => closed.resolve(),
    },
  });
  return { media, statuses, pongs, socket, closed: closed.promise };
}
