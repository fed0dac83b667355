/** What the tests of both endpoints need: the built program, and the engine's end of its socket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Socket, Subprocess } from 'bun';
import { createFrameDecoder, type NamedEvent } from '../../daemon/engine/endpoint/wire.ts';
import { until } from '../../tests/support/until.ts';

export const sanitizerReport = /AddressSanitizer|LeakSanitizer|runtime error:/;

export type Build = 'asan' | 'plain';

/** Builds the endpoint (make does nothing when it is up to date) and answers its path. */
export function endpointBinary(name: 'srt' | 'udp', build: Build): string {
  const folder = join(import.meta.dir, '..', name);
  const target = build === 'asan' ? ['asan'] : [];
  const made = Bun.spawnSync(['make', '-s', '-C', folder, ...target]);
  if (!made.success) throw new Error(made.stderr.toString());
  return join(folder, 'build', build === 'asan' ? `${name}-endpoint-asan` : `${name}-endpoint`);
}

export const asanEnvironment = { ASAN_OPTIONS: 'exitcode=99:quarantine_size_mb=8' };

const encoder = new TextEncoder();

/** The engine's end of the socket, bare. */
export interface Bare<Event extends NamedEvent> {
  readonly child: Subprocess<'ignore', 'pipe', 'pipe'>;
  readonly socket: Socket<undefined>;
  readonly events: Event[];
  control(text: string): void;
  data(id: number, flags: number, bytes: Uint8Array): void;
  /** What came in data frames of this id. */
  received(id: number): Buffer;
  raw(bytes: Uint8Array): void;
  stderr(): Promise<string>;
  close(): void;
}

export function frame(kind: string, id: number, payload: Uint8Array, flags = 0): Uint8Array {
  const bytes = new Uint8Array(12 + payload.length);
  const view = new DataView(bytes.buffer);
  bytes.set([kind.charCodeAt(0), flags]);
  view.setUint32(4, id, true);
  view.setUint32(8, payload.length, true);
  bytes.set(payload, 12);
  return bytes;
}

export async function startBare<Event extends NamedEvent>(
  binary: string,
  readEvent: (text: string) => Event | undefined,
): Promise<Bare<Event>> {
  const folder = mkdtempSync(join(tmpdir(), 'endpoint-process-'));
  const path = join(folder, 'engine.sock');
  const events: Event[] = [];
  const received = new Map<number, Buffer>();
  let socket: Socket<undefined> | undefined;
  const take = createFrameDecoder({
    control(text) {
      const event = readEvent(text);
      if (!event) throw new Error(`no event: ${text}`);
      events.push(event);
    },
    data(id, _flags, payload) {
      received.set(id, Buffer.concat([received.get(id) ?? Buffer.alloc(0), payload]));
    },
  });
  // What the socket doesn't take at once waits here.
  let rest: Uint8Array[] = [];
  const flush = () => {
    while (rest[0] && socket) {
      const written = socket.write(rest[0]);
      if (written < rest[0].length) {
        rest[0] = rest[0].subarray(Math.max(0, written));
        return;
      }
      rest = rest.slice(1);
    }
  };
  const listener = Bun.listen({
    unix: path,
    socket: {
      open(opened) {
        socket = opened;
      },
      data: (_socket, chunk) => take(chunk),
      drain: flush,
    },
  });
  const child = Bun.spawn([binary, '--socket', path], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: asanEnvironment,
  });
  const errors = new Response(child.stderr).text();
  await until(() => events.some((event) => event.ev === 'hello'));
  if (!socket) throw new Error('never connected');
  const raw = (bytes: Uint8Array) => {
    rest.push(bytes);
    flush();
  };
  return {
    child,
    socket,
    events,
    raw,
    control: (text) => raw(frame('J', 0, encoder.encode(text))),
    data: (id, flags, bytes) => raw(frame('D', id, bytes, flags)),
    received: (id) => received.get(id) ?? Buffer.alloc(0),
    stderr: () => errors,
    close() {
      listener.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
