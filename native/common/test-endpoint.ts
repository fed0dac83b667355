/** What the tests of both endpoints need: the built program, and the engine's end of its socket. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFrameDecoder, type NamedEvent } from '../../daemon/ipc/frames.ts';
import { until, usualMs } from '../../tests/support/until.ts';

export const sanitizerReport = /AddressSanitizer|LeakSanitizer|runtime error:/;

export type Build = 'asan' | 'plain';

/** Builds the endpoint (make does nothing when it is up to date) and answers its path. */
export function endpointBinary(name: 'rtmp' | 'srt' | 'udp', build: Build): string {
  const folder = join(import.meta.dir, '..', name);
  const target = build === 'asan' ? ['asan'] : [];
  const made = Bun.spawnSync(['make', '-s', '-C', folder, ...target]);
  if (!made.success) throw new Error(made.stderr.toString());
  return join(folder, 'build', build === 'asan' ? `${name}-endpoint-asan` : `${name}-endpoint`);
}

export const asanEnvironment = { ASAN_OPTIONS: 'exitcode=99:quarantine_size_mb=8' };

const encoder = new TextEncoder();

export function frame(kind: string, id: number, payload: Uint8Array, flags = 0): Uint8Array {
  const bytes = new Uint8Array(12 + payload.length);
  const view = new DataView(bytes.buffer);
  bytes.set([kind.charCodeAt(0), flags]);
  view.setUint32(4, id, true);
  view.setUint32(8, payload.length, true);
  bytes.set(payload, 12);
  return bytes;
}

/** The engine's end of the socket, bare. */
export type Bare<Event extends NamedEvent> = Awaited<ReturnType<typeof startBare<Event>>>;

export async function startBare<Event extends NamedEvent>(
  binary: string,
  readEvent: (text: string) => Event | undefined,
) {
  const folder = mkdtempSync(join(tmpdir(), 'endpoint-process-'));
  const path = join(folder, 'engine.sock');
  const events: Event[] = [];
  const received = new Map<number, Buffer>();
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
  const listener = createServer();
  await once(listener.listen(path), 'listening');
  const child = Bun.spawn([binary, '--socket', path], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: asanEnvironment,
  });
  const errors = new Response(child.stderr).text();
  const [socket]: Socket[] = await once(listener, 'connection', { signal: AbortSignal.timeout(usualMs) });
  if (!socket) throw new Error('never connected');
  socket.on('data', take);
  // A test may kill the endpoint while something is on its way to it.
  socket.on('error', () => {});
  await until(() => events.some((event) => event.ev === 'hello'));
  const raw = (bytes: Uint8Array) => void socket.write(bytes);
  return {
    child,
    socket,
    events,
    raw,
    control: (text: string) => raw(frame('J', 0, encoder.encode(text))),
    data: (id: number, flags: number, bytes: Uint8Array) => raw(frame('D', id, bytes, flags)),
    /** What came in data frames of this id. */
    received: (id: number) => received.get(id) ?? Buffer.alloc(0),
    stderr: () => errors,
    close() {
      socket.destroy();
      listener.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
