/** Connects RTMP clients to channels: the key selects the channel, which accepts or refuses. */

import { hostOf } from '../../lib/local-network.ts';
import type { Log } from '../../lib/log.ts';
import type { ConnectionReason, EnginePart } from '../../media/protocol/reported.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChannelRegistry } from '../channel/channel-registry.ts';
import { flvPublisher } from '../channel/publisher.ts';
import { portFailureOf, whyNotListening } from '../connection/listen-failure.ts';
import { createFlvSink, type FlvBusSink } from '../flv/flv-sink.ts';
import type { Callers } from '../net/callers.ts';
import { type KeyGuard, openedBy } from '../net/key-guard.ts';
import type { PlayGrant, PublishGrant, Refusal, RtmpClientHandle, StreamRequest } from './hooks.ts';
import { createRelay } from './relay.ts';
import { RtmpServer } from './server.ts';

/** Returns the channel that a key opens. */
type FindChannel = ChannelRegistry['byKey'];

interface RtmpAdapterOptions {
  readonly log: Log;
  readonly find: FindChannel;
  readonly callers: Pick<Callers, 'boundKey'>;
  readonly keyGuard: KeyGuard;
  readonly onPart: (part: EnginePart) => void;
  /** The RTMP endpoint: its program, and the socket for it. */
  readonly binary: string;
  readonly socketPath: string;
}

const refuse = (code: string, text: string): Refusal => ({ ok: false, code, text });

export function createRtmpAdapter(options: RtmpAdapterOptions) {
  const { log, find, callers, keyGuard, onPart, binary, socketPath } = options;
  const relay = createRelay({ binary, socketPath, log });
  let server: RtmpServer | undefined;
  let openHost = '';
  let isListening = false;

  const hooks = {
    keyWait: ({ key, client }: StreamRequest) => keyGuard.attempt(hostOf(client.peer), openedBy(find(key)), 'rtmp'),
    publish: (request: StreamRequest) => publish(find, request),
    play: (request: StreamRequest) => play(find, request),
    log: (
      level: 'debug' | 'info' | 'warn' | 'error',
      text: string,
      fields: Record<string, string | number | boolean>,
    ) => log[level](text, fields),
  };

  function open(hostname: string, port: number): RtmpServer {
    if (server) {
      server.rebind(hostname, port);
      return server;
    }
    const next = new RtmpServer({ hostname, port, hooks, relay, boundKey: callers.boundKey });
    next.start();
    return next;
  }

  return {
    /** Listens on this port; 0 means any free port. Does nothing if it already listens there. */
    listen(hostname: string, port: number): void {
      if (isListening && openHost === hostname && (port === 0 || port === server?.port)) return;
      openHost = hostname;
      try {
        server = open(hostname, port);
        isListening = true;
        onPart({ name: 'rtmp', ok: true, port: server.port });
      } catch (error) {
        isListening = false;
        onPart({ name: 'rtmp', ok: false, port, ...whyNotListening('RTMP', port, portFailureOf(error)) });
      }
    },
    /** Called once per second. */
    tick(): void {
      server?.tick();
      relay.tick();
    },
    async close(reason: string): Promise<void> {
      server?.close(reason);
      server = undefined;
      await relay.close();
    },
  };
}

function publish(find: FindChannel, { key, client }: StreamRequest): PublishGrant | Refusal {
  const found = find(key);
  if (found?.kind !== 'push') return refuse('NetStream.Publish.BadName', 'No channel has this push key');
  const { channel } = found;
  const refused = channel.refusesPublish('rtmp');
  if (refused === 'busy') return refuse('NetStream.Publish.BadName', 'This push key is already in use');
  if (refused) return refuse('NetStream.Publish.Denied', 'The channel is switched off');
  return publishTo(channel, client) ?? refuse('NetStream.Publish.BadName', 'The channel already has a publisher');
}

/** Returns undefined if the channel has a publisher that it keeps. */
function publishTo(channel: Channel, client: RtmpClientHandle): PublishGrant | undefined {
  let sink: FlvBusSink | undefined;
  let onReaders: (() => void) | undefined;
  let endReason: ConnectionReason = 'closedByPeer';
  const publisher = flvPublisher(() => sink, {
    protocol: 'rtmp',
    pace: () => onReaders?.(),
    peer: () => client.peer,
    stalled() {
      endReason = 'stalled';
      client.close('nothing came for 10 s');
    },
    replaced: (reason) => client.dismiss(`Publishing ended: ${reason}`),
    close(reason) {
      endReason = 'switchedOff';
      client.close(reason);
    },
  });
  if (channel.beginPublish(publisher)) return undefined;
  const open = createFlvSink(channel.flv);
  sink = open;
  return {
    ok: true,
    busSink: open,
    watchReaders: (look) => {
      onReaders = look;
    },
    sink: {
      message: (message) => open.message(message),
      flush: () => open.flush(),
      close(reason) {
        open.close(reason);
        channel.endPublish(publisher, endReason);
      },
    },
  };
}

function play(find: FindChannel, { key, client }: StreamRequest): PlayGrant | Refusal {
  const found = find(key);
  if (found?.kind !== 'play') return refuse('NetStream.Play.StreamNotFound', 'No channel has this play key');
  const { channel } = found;
  if (channel.refusesPlay('rtmp')) return refuse('NetStream.Play.Failed', 'The channel is switched off');
  if (channel.isImpossible('flv')) return refuse('NetStream.Play.Failed', 'RTMP cannot carry a codec of this stream');
  const entry = channel.addClient({
    protocol: 'rtmp',
    peer: client.peer,
    bytes: () => client.stats().bytesOut,
    skipped: () => client.stats().feed?.skippedUnits ?? 0,
    queueMs: () => client.stats().feed?.lagMs ?? 0,
    close: (reason) => client.close(reason),
  });
  if ('refused' in entry) return refuse('NetStream.Play.Failed', `Too many players: ${entry.refused}`);
  return { ok: true, bus: channel.flv, onClosed: () => entry.remove() };
}
