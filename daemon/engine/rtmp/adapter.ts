/** Connects RTMP clients to channels: the key selects the channel, which accepts or refuses. */

import { hostOf } from '../../lib/local-network.ts';
import type { Log } from '../../lib/log.ts';
import type { ConnectionReason, EnginePart } from '../../media/protocol/reported.ts';
import type { ChannelRegistry } from '../channel/channel-registry.ts';
import { flvPublisher } from '../channel/publisher.ts';
import { portFailureOf, whyNotListening } from '../connection/listen-failure.ts';
import { createFlvSink, type FlvBusSink } from '../flv/flv-sink.ts';
import type { Callers } from '../net/callers.ts';
import { type KeyGuard, openedBy } from '../net/key-guard.ts';
import type { PlayGrant, PublishGrant, Refusal, RtmpClientHandle, StreamRequest } from './hooks.ts';
import { RtmpServer } from './server.ts';

/** Returns the channel that a key opens. */
type FindChannel = ChannelRegistry['byKey'];

export interface RtmpAdapter {
  /** Listens on this port; 0 means any free port. Does nothing if it already listens there. */
  listen(hostname: string, port: number): void;
  close(reason: string): void;
}

export interface RtmpAdapterOptions {
  readonly log: Log;
  readonly find: FindChannel;
  readonly callers: Pick<Callers, 'boundKey'>;
  readonly keyGuard: KeyGuard;
  readonly onPart: (part: EnginePart) => void;
}

const refuse = (code: string, text: string): Refusal => ({ ok: false, code, text });

export function createRtmpAdapter({ log, find, callers, keyGuard, onPart }: RtmpAdapterOptions): RtmpAdapter {
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
    const next = new RtmpServer({ hostname, port, hooks, boundKey: callers.boundKey });
    next.start();
    return next;
  }

  return {
    listen(hostname, port) {
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
    close(reason) {
      server?.close(reason);
      server = undefined;
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
  const session = rtmpPublisher(client);
  if (channel.beginPublish(session.publisher))
    return refuse('NetStream.Publish.BadName', 'The channel already has a publisher');
  const sink = createFlvSink(channel.flv);
  session.attach(sink);
  return {
    ok: true,
    sink: {
      message: (message) => sink.message(message),
      flush: () => sink.flush(),
      close(reason) {
        sink.close(reason);
        channel.endPublish(session.publisher, session.endReason());
      },
    },
  };
}

function rtmpPublisher(client: RtmpClientHandle) {
  let sink: FlvBusSink | undefined;
  let ours: ConnectionReason | undefined;
  const publisher = flvPublisher(() => sink, {
    protocol: 'rtmp',
    peer: () => client.peer,
    stalled() {
      ours = 'stalled';
      client.close('nothing came for 10 s');
    },
    replaced(reason) {
      client.dismiss(`Publishing ended: ${reason}`);
    },
    close(reason) {
      ours = 'switchedOff';
      client.close(reason);
    },
  });
  return {
    publisher,
    attach(attached: FlvBusSink) {
      sink = attached;
    },
    endReason: (): ConnectionReason => ours ?? 'closedByPeer',
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
    srt: () => undefined,
    close: (reason) => client.close(reason),
  });
  if ('refused' in entry) return refuse('NetStream.Play.Failed', `Too many players: ${entry.refused}`);
  return { ok: true, bus: channel.flv, onClosed: () => entry.remove() };
}
