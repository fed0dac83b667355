/**
 * A media engine for tests: implements the engine's side of the protocol without moving packets. `--manner` selects its
 * behavior; it writes the messages it receives to `<data dir>/received.jsonl`, one JSON message per line.
 */
import { appendFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createJsonLineReader } from '../../daemon/ipc/json-lines.ts';
import { socketPath } from '../../daemon/lib/socket-path.ts';
import type { DesiredState } from '../../daemon/media/protocol/desired.ts';
import {
  type EngineReply,
  type EngineRequest,
  type EngineToHub,
  engineProtocol,
  type HubToEngine,
} from '../../daemon/media/protocol/messages.ts';

/**
 * `good`: like the real one. `mute`: accepts connections and sends nothing. `frozen`: falls silent after its hello.
 * `stubborn`: ignores every request to end. `old`: has another protocol number. `broken`: exits at once. `garbled`:
 * sends invalid JSON. `crippled`: reports a missing component.
 */
export const manners = ['good', 'mute', 'frozen', 'stubborn', 'old', 'broken', 'garbled', 'crippled'] as const;
export type Manner = (typeof manners)[number];

const connection = { conn: 0, state: 0, kbps: 0, bytes: 0, since: 0 } as const;

/** Every enabled channel waits for its publisher; outputs wait for the input. */
function statusOf(state: DesiredState | undefined): Extract<EngineToHub, { type: 'status' }> {
  const enabled = state?.channels.filter((channel) => channel.enabled) ?? [];
  return {
    type: 'status',
    at: Date.now(),
    generation: state?.generation ?? 0,
    memoryBytes: process.memoryUsage.rss(),
    rings: { bytes: 0, limit: 0 },
    channels: enabled.map((channel) => ({
      id: channel.id,
      input: { ...connection, protocol: '', peer: '', reconnects: 0 },
      outputs: channel.outputs.map((output) => ({ ...connection, id: output.id, reconnects: 0, skipped: 0 })),
      clients: [],
    })),
  };
}

function answer(ask: EngineRequest): EngineReply | undefined {
  if (ask.what === 'history') {
    return { what: 'history', history: { stepSeconds: 1, end: Date.now(), in: [null, 1000], out: [null, 2000] } };
  }
  // A call that is never answered, to test the timeout.
  return undefined;
}

function serve(dataDir: string, manner: Manner): void {
  const path = socketPath(dataDir, 'engine');
  const startedAt = Date.now();
  let desired: DesiredState | undefined;

  const converse = (socket: Socket): void => {
    const send = (message: EngineToHub) => socket.write(`${JSON.stringify(message)}\n`);
    const receive = (message: HubToEngine): void => {
      appendFileSync(join(dataDir, 'received.jsonl'), `${JSON.stringify({ pid: process.pid, ...message })}\n`);
      if (message.type === 'desired') desired = message.state;
      if (message.type === 'desired' && manner !== 'frozen') send(statusOf(desired));
      if (message.type === 'stop' && manner !== 'stubborn') process.exit(0);
      if (message.type !== 'request') return;
      const reply = answer(message.ask);
      if (reply) send({ type: 'reply', id: message.id, reply });
    };
    socket.on('error', () => socket.destroy());
    socket.on(
      'data',
      createJsonLineReader({
        maxBytes: 16 * 1024 * 1024,
        onValue: (value) => receive(value as HubToEngine),
        onFault: () => socket.destroy(),
      }),
    );
    if (manner === 'mute') return;
    const protocol = manner === 'old' ? engineProtocol - 1 : engineProtocol;
    const rtmp = { name: 'rtmp', ok: true, port: 1935 } as const;
    const missing = { name: 'ffmpeg', ok: false, reason: 'missing', message: 'FFmpeg was not found' } as const;
    const parts = manner === 'crippled' ? [rtmp, missing] : [rtmp];
    send({ type: 'hello', protocol, pid: process.pid, startedAt, parts });
    if (manner === 'garbled') socket.write('this is no JSON\n');
    if (manner === 'frozen' || manner === 'garbled') return;
    const timer = setInterval(() => send(statusOf(desired)), 1000);
    socket.on('close', () => clearInterval(timer));
  };

  rmSync(path, { force: true });
  createServer(converse).listen(path);
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: {
      'data-dir': { type: 'string' },
      manner: { type: 'string', default: 'good' },
      // Milliseconds from start until it listens.
      'listen-after': { type: 'string', default: '0' },
    },
  });
  const manner = manners.find((name) => name === values.manner) ?? 'good';
  if (manner === 'stubborn') process.on('SIGTERM', () => {});
  if (manner === 'broken') process.exit(3);
  setTimeout(() => serve(values['data-dir'] ?? '.', manner), Number(values['listen-after']));
}
