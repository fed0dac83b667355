/** Connects HTTP players to channels: HLS and the plain transport stream, selected by the play key in the address. */

import { unlinkSync } from 'node:fs';
import type { Server } from 'bun';
import { plainAddress } from '../../lib/local-network.ts';
import { asLast, createPipelineLimit } from '../../lib/pipelining.ts';
import { viewerHeaders } from '../../media/protocol/messages.ts';
import type { EnginePart } from '../../media/protocol/reported.ts';
import { timing } from '../../timing.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChannelRegistry } from '../channel/channel-registry.ts';
import type { Refused } from '../channel/clients.ts';
import { portFailureOf, whyNotListening } from '../connection/listen-failure.ts';
import { type Callers, peerName } from '../net/callers.ts';
import { type KeyGuard, openedBy } from '../net/key-guard.ts';
import { HlsChannel } from './hls-channel.ts';
import { tsType } from './live-window.ts';
import { type MediaRequest, readRequest } from './request.ts';
import { openTsStream, type TsStream } from './ts-stream.ts';
import type { ViewerName } from './viewers.ts';

export type HttpAdapter = ReturnType<typeof createHttpAdapter>;

interface HttpAdapterOptions {
  readonly find: ChannelRegistry['byKey'];
  readonly onPart: (part: EnginePart) => void;
  readonly callers: Pick<Callers, 'ofRequest'>;
  readonly keyGuard: KeyGuard;
  /** For streams that the hub passes on to signed-in users: selected by channel number instead of the key. */
  readonly preview: { readonly socketPath: string; readonly channel: (id: number) => Channel | undefined };
}

type HttpServer = Server<undefined>;
type HlsRequest = Exclude<MediaRequest, { wants: 'stream' }>;
interface Admitted {
  readonly asked: MediaRequest;
  readonly channel: Channel;
}

const maxUrlCharacters = 1024;
/** Bun accepts whole seconds only. */
const idleSeconds = Math.ceil(timing.httpServer.idleMs / 1000);
/** A player that finds no stream retries after this. */
const retrySeconds = 2;
const guessRetrySeconds = 10;
/** Segments never change, and are no longer requested after they leave the window. */
const segmentSeconds = 60;
const playlistType = 'application/vnd.apple.mpegurl';

const everywhere = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' };
const methods = 'GET, HEAD, OPTIONS';
const preflight = { 'access-control-allow-methods': methods, 'access-control-allow-headers': 'range' };

const refuse = (status: number, text: string, headers: Record<string, string> = {}) =>
  new Response(`${text}\n`, { status, headers: { ...everywhere, 'cache-control': 'no-store', ...headers } });
const tooManyWrong = () =>
  refuse(429, 'Too many wrong stream keys from this address', { 'retry-after': String(guessRetrySeconds) });
/** Such a connection is closed with the response, because each takes a file descriptor. */
const tooMany = ({ refused }: Refused) =>
  refuse(503, `Too many players: ${refused}`, { 'retry-after': String(retrySeconds), connection: 'close' });

export function createHttpAdapter({ find, onPart, callers, keyGuard, preview }: HttpAdapterOptions) {
  const known = new WeakMap<Channel, HlsChannel>();
  const active = new Set<HlsChannel>();
  const streams = new Set<TsStream>();
  let server: HttpServer | undefined;
  let previewServer: ReturnType<typeof Bun.serve> | undefined;
  let openHost = '';

  async function admit(request: Request, from: HttpServer): Promise<Admitted | Response> {
    if (request.url.length > maxUrlCharacters) return refuse(414, 'The address is too long');
    const asked = readRequest(new URL(request.url));
    const found = asked && find(asked.key);
    const waitMs = asked ? keyGuard.attempt(addressOf(request, from), openedBy(found), 'http') : 0;
    if (waitMs === undefined) return tooManyWrong();
    if (waitMs > 0) await Bun.sleep(waitMs);
    if (!asked || found?.kind !== 'play') return refuse(404, 'There is no such stream');
    const { channel } = found;
    if (channel.refusesPlay(asked.wants === 'stream' ? 'http' : 'hls'))
      return refuse(403, 'The channel is switched off');
    return { asked, channel };
  }

  async function respond(request: Request, from: HttpServer): Promise<Response> {
    if (request.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { ...everywhere, ...preflight } });
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Only reading', { allow: methods });
    const admitted = await admit(request, from);
    if (admitted instanceof Response) return admitted;
    const { asked, channel } = admitted;
    if (asked.wants === 'stream') return stream(channel, request, from);
    return await respondHls(channel, asked, request, {
      key: asked.key,
      address: addressOf(request, from),
      userAgent: request.headers.get('user-agent') ?? '',
    });
  }

  function stream(channel: Channel, request: Request, from: HttpServer): Response {
    const headers = { ...everywhere, 'content-type': tsType, 'cache-control': 'no-store' };
    if (request.method === 'HEAD') return new Response(null, { headers });
    const opened = openTsStream({
      channel,
      peer: peerOf(request, from),
      now: performance.now.bind(performance),
      onEnd(ended) {
        streams.delete(ended);
        // Without this, a reader that accepts nothing would delay the end indefinitely.
        from.timeout(request, 1);
      },
    });
    if ('refused' in opened) return tooMany(opened);
    streams.add(opened);
    // Without a publisher nothing flows, possibly for long. The tick detects a reader that has stopped.
    from.timeout(request, 0);
    request.signal.addEventListener('abort', () => opened.end());
    return new Response(opened.body, { headers });
  }

  function addressOf(request: Request, from: HttpServer): string {
    return callers.ofRequest(request, from.requestIP(request)?.address ?? '');
  }

  /** Includes the port if the caller is connected directly. */
  function peerOf(request: Request, from: HttpServer): string {
    const { address = '', port = 0 } = from.requestIP(request) ?? {};
    const caller = addressOf(request, from);
    return caller === plainAddress(address) ? peerName({ remoteAddress: address, remotePort: port }) : caller;
  }

  /** Trusts the hub's headers for the viewer's identity: only the hub can reach the socket. */
  async function respondToHub(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const asked = readRequest({ pathname, searchParams });
    const channel = asked && preview.channel(Number(asked.key));
    if (!channel || asked.wants === 'stream') return refuse(404, 'There is no such stream');
    if (channel.refusesPlay('hls')) return refuse(403, 'The channel is switched off');
    return await respondHls(channel, asked, request, {
      key: undefined,
      address: request.headers.get(viewerHeaders.address) ?? '',
      userAgent: request.headers.get(viewerHeaders.name) ?? '',
    });
  }

  async function respondHls(
    channel: Channel,
    asked: HlsRequest,
    request: Request,
    name: ViewerName,
  ): Promise<Response> {
    const live = known.get(channel) ?? new HlsChannel(channel);
    known.set(channel, live);
    const viewer = live.ask(name, asked.wants === 'playlist' ? asked.delivery : 'segments');
    if (viewer === 'ended') return refuse(403, 'Disconnected by an operator');
    if ('refused' in viewer) return tooMany(viewer);
    active.add(live);
    const answer = asked.wants === 'playlist' ? await playlist(live, asked) : await media(live, asked);
    const size = Number(answer.headers.get('content-length') ?? 0);
    if (request.method === 'GET') viewer.count(size);
    return answer;
  }

  return {
    /** Listens on this port; 0 means any free port. Does nothing if it already listens there. */
    listen(hostname: string, port: number): void {
      if (server && openHost === hostname && (port === 0 || port === server.port)) return;
      // Running responses continue on the old one.
      void server?.stop(false);
      server = undefined;
      openHost = hostname;
      try {
        const isPastLimit = createPipelineLimit();
        server = Bun.serve({
          ...{ hostname, port, idleTimeout: idleSeconds, maxRequestBodySize: 0 },
          async fetch(request, self) {
            const isTooMuch = isPastLimit(self.requestIP(request));
            const response = await respond(request, self);
            return isTooMuch ? asLast(response) : response;
          },
        });
        onPart({ name: 'hls', ok: true, port: server.port ?? port });
      } catch (error) {
        onPart({ name: 'hls', ok: false, port, ...whyNotListening('HLS', port, portFailureOf(error)) });
      }
    },
    /** Opens a socket in the hub's data folder, for the hub. */
    openPreview(): void {
      removeSocket(preview.socketPath);
      previewServer = Bun.serve({ unix: preview.socketPath, maxRequestBodySize: 0, fetch: respondToHub });
    },
    /** Called once per second. */
    tick(): void {
      for (const live of active) if (!live.tick()) active.delete(live);
      for (const open of streams) open.tick();
    },
    close(): void {
      void server?.stop(true);
      server = undefined;
      void previewServer?.stop(true);
      previewServer = undefined;
    },
  };
}

function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // No socket was left behind.
  }
}

async function playlist(live: HlsChannel, asked: Extract<HlsRequest, { wants: 'playlist' }>): Promise<Response> {
  const text = await live.playlist(asked.delivery, asked.awaited);
  if (text === undefined) return refuse(503, 'No publisher', { 'retry-after': String(retrySeconds) });
  if (text === 'tooFarAhead') return refuse(400, 'This segment is too far in the future');
  return withBody(new Blob([text]), playlistType, 'no-cache');
}

async function media(live: HlsChannel, asked: Extract<HlsRequest, { wants: 'media' }>): Promise<Response> {
  const body = await live.media(asked.number, asked.part);
  if (!body) return refuse(404, 'This segment does not exist');
  return withBody(body, tsType, `public, max-age=${segmentSeconds}, immutable`);
}

function withBody(body: Blob, type: string, caching: string): Response {
  const headers = {
    ...everywhere,
    'content-type': type,
    'cache-control': caching,
    'content-length': String(body.size),
  };
  return new Response(body, { headers });
}
