/** A connection to the web server of a device: of its address, with TLS if it has that, or through its agent. */
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { readDeviceAddress } from '../contract/device-fields.ts';
import { type Outgoing, OutgoingError } from '../lib/outgoing.ts';
import type { ByteStream } from '../link/byte-stream.ts';
import type { StreamCode } from '../link/codes.ts';
import { duplexOf, type Stream } from '../link/duplex.ts';
import { openPinned } from './pinned-request.ts';
import type { DeviceWay, DeviceWeb } from './ports.ts';
import { DeviceProblem, problemOfStream } from './problem.ts';

interface Ways {
  readonly outgoing: Pick<Outgoing, 'choose'>;
  readonly connectMs: number;
  readonly openPort: (port: number) => ByteStream | StreamCode;
}

const usualPorts = { http: 80, https: 443 } as const;

/** Resolves while the connection is still being made, unless it has TLS. Rejects with a DeviceProblem. */
export async function openDeviceWeb(way: DeviceWay, ways: Ways): Promise<DeviceWeb> {
  // The agent maps the port to the address of its device, and speaks TLS there if that is needed.
  if (way.link === 'agent') return opened(ways.openPort(usualPorts.http), 'localhost', true);
  const parts = readDeviceAddress(way.address);
  if (parts === undefined) throw new DeviceProblem('unreachable', 'the device has no address');
  const { scheme = 'http', host, port = usualPorts[scheme] } = parts;
  const authority = `${host.includes(':') ? `[${host}]` : host}${port === usualPorts[scheme] ? '' : `:${port}`}`;
  if (scheme === 'http') return opened(ways.openPort(usualPorts.http), authority, false);
  const server = { host, port, ...(way.pin !== '' && { fingerprint: way.pin }) };
  const stream = await openSecure(server, ways);
  return { stream, place: { scheme, authority }, isAgent: false };
}

function opened(stream: ByteStream | StreamCode, authority: string, isAgent: boolean): DeviceWeb {
  if (typeof stream === 'string') throw problemOfStream(stream);
  return { stream: duplexOf(stream, problemOfStream), place: { scheme: 'http', authority }, isAgent };
}

async function openSecure(server: Parameters<typeof openPinned>[1], { outgoing, connectMs }: Ways): Promise<Stream> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), connectMs);
  try {
    return streamOf(await openPinned(await outgoing.choose(server), server, ending.signal));
  } catch (error) {
    if (ending.signal.aborted) throw problemOfStream('timedOut');
    if (error instanceof DeviceProblem) throw error;
    throw problemOfStream(error instanceof OutgoingError && error.fault === 'notAllowed' ? 'notPermitted' : 'refused');
  } finally {
    clearTimeout(timer);
  }
}

function streamOf(socket: TLSSocket): Stream {
  const closed = Promise.withResolvers<StreamCode | undefined>();
  const bytes: AsyncIterator<Uint8Array> = socket[Symbol.asyncIterator]();
  let code: StreamCode | undefined;
  socket.on('error', () => {
    code ??= 'refused';
  });
  socket.once('close', () => closed.resolve(code));
  return {
    async read() {
      try {
        const { value, done } = await bytes.next();
        return done === true ? undefined : value;
      } catch {
        throw problemOfStream(code ?? 'refused');
      }
    },
    async write(part) {
      if (socket.destroyed || socket.writableEnded) throw problemOfStream(code ?? 'refused');
      if (socket.write(part)) return;
      await Promise.race([once(socket, 'drain'), closed.promise]);
      if (socket.destroyed) throw problemOfStream(code ?? 'refused');
    },
    end: () => void socket.end(),
    reset(with_) {
      code ??= with_;
      socket.destroy();
    },
    closed: closed.promise,
  };
}
