/** Adds, replaces and switches the stream servers of an encoder. Each write is sent once and read back if unanswered. */
import type { StreamTarget } from '../driver.ts';
import type { QueryParams, QuerySession } from '../query-session.ts';
import { type StreamServer, serverTypes } from './settings.ts';

export interface ServerDesk {
  readonly session: QuerySession;
  servers(signal: AbortSignal): Promise<readonly StreamServer[]>;
}

const maxName = 32;

export async function provideServer({ session, servers }: ServerDesk, target: StreamTarget, signal: AbortSignal) {
  const wanted = paramsOf(target);
  const find = async () => serverFor(wanted, await servers(signal));
  let server = await find();
  if (server !== undefined && server.type !== wanted.type) {
    const { id } = server;
    const isGone = async () => !(await servers(signal)).some((one) => one.id === id);
    await session.write('del-server', { id }, signal, isGone);
    server = undefined;
  }
  const isThere = async () => matches(await find(), wanted);
  if (server === undefined) {
    await session.write('add-server', { ...wanted, 'is-use': 0 }, signal, isThere);
  } else if (!matches(server, wanted)) {
    if (server.isUsed) await enable({ session, servers }, server.id, false, signal);
    await session.write('set-server', { id: server.id, ...wanted, 'is-use': 0 }, signal, isThere);
  }
  // A new server has its id only now, and does not become used by being added.
  server = await find();
  if (server !== undefined && !server.isUsed) await enable({ session, servers }, server.id, true, signal);
}

/** Returns whether another server is still in use. */
export async function stopServer(desk: ServerDesk, name: string, signal: AbortSignal): Promise<boolean> {
  const servers = await desk.servers(signal);
  const server = servers.find((one) => one.name === nameOf(name));
  if (server?.isUsed) await enable(desk, server.id, false, signal);
  return servers.some((one) => one.isUsed && one !== server);
}

function enable({ session, servers }: ServerDesk, id: number, on: boolean, signal: AbortSignal): Promise<void> {
  const isSo = async () => (await servers(signal)).some((one) => one.id === id && one.isUsed === on);
  return session.write('enable-server', { id, 'is-use': on ? 1 : 0 }, signal, isSo);
}

const nameOf = (name: string): string => name.slice(0, maxName).trim();

function paramsOf(target: StreamTarget): QueryParams {
  const { name, protocol, host, port, app, key, latencyMs = 125, passphrase = '', stream } = target;
  const common = { name: nameOf(name), 'net-mode': 1, 'stream-index': stream === 'main' ? 0 : 1 };
  if (protocol === 'rtmp') {
    const bracketed = host.includes(':') ? `[${host}]` : host;
    return {
      type: serverTypes.rtmp,
      ...common,
      url: `rtmp://${bracketed}:${port}/${app ?? 'live'}`,
      key,
      'is-auth': 0,
    };
  }
  return {
    ...{ type: serverTypes.srtCaller, ...common, url: host, port, 'stream-id': key },
    // The range that encoders take.
    latency: Math.min(8000, Math.max(20, latencyMs)),
    bandwidth: 25,
    'conn-timeout': 3000,
    'retry-duration': 1000,
    aes: passphrase === '' ? 0 : 16,
    'aes-word': passphrase,
    mtu: 1496,
  };
}

/** The server of this name, or the one of this destination: encoders refuse a second one for the same destination. */
function serverFor(wanted: QueryParams, servers: readonly StreamServer[]): StreamServer | undefined {
  const destination = wanted.type === serverTypes.rtmp ? ['type', 'url', 'key'] : ['type', 'url', 'port', 'stream-id'];
  return (
    servers.find(({ name }) => name === wanted.name) ?? servers.find((server) => isSame(server, wanted, destination))
  );
}

function matches(server: StreamServer | undefined, wanted: QueryParams): boolean {
  return server !== undefined && isSame(server, wanted, Object.keys(wanted));
}

function isSame({ fields }: StreamServer, wanted: QueryParams, names: readonly string[]): boolean {
  return names.every((name) => (fields.text(name) ?? '') === String(wanted[name]));
}
