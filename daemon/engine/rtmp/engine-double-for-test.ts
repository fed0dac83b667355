/** Stands in for the engine in tests of the RTMP server: one channel with one push key and one play key. */
import { shareInterval } from '../../lib/shared-interval.ts';
import { createFlvBus, type FlvBus } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvBusSink } from '../flv/flv-sink.ts';
import type { PublishGrant, Refusal, RtmpClientHandle, RtmpServerHooks, SessionLimits } from './hooks.ts';
import type { Relay } from './relay.ts';
import { RtmpServer } from './server.ts';

export interface EngineDouble {
  readonly server: RtmpServer;
  readonly bus: FlvBus;
  /** The sinks of all publishers so far. */
  readonly sinks: FlvBusSink[];
  /** All that published or played so far. */
  readonly publishers: RtmpClientHandle[];
  readonly players: RtmpClientHandle[];
  readonly logs: string[];
  /** Reasons why publishers and players ended. */
  readonly ends: string[];
  readonly isPublishing: () => boolean;
  readonly url: (key: 'push' | 'play' | 'wrong') => string;
}

export function startEngineDouble(
  limits: Partial<SessionLimits> = {},
  maxConnections?: number,
  relay?: Relay,
): EngineDouble {
  const bus = createFlvBus();
  const sinks: FlvBusSink[] = [];
  const publishers: RtmpClientHandle[] = [];
  const players: RtmpClientHandle[] = [];
  const logs: string[] = [];
  const ends: string[] = [];
  let current: FlvBusSink | undefined;

  const publish = (key: string): PublishGrant | Refusal => {
    if (key !== 'push') return { ok: false, code: 'NetStream.Publish.BadName', text: 'No such key.' };
    if (current) return { ok: false, code: 'NetStream.Publish.BadName', text: 'The channel already has a publisher.' };
    const sink = createFlvSink(bus);
    current = sink;
    sinks.push(sink);
    return {
      ok: true,
      busSink: sink,
      watchReaders: (look) => {
        bus.ring.onReader = look;
      },
      sink: {
        message: (message) => sink.message(message),
        flush: () => sink.flush(),
        close(reason) {
          sink.close(reason);
          ends.push(`publisher: ${reason}`);
          current = undefined;
        },
      },
    };
  };
  const hooks: RtmpServerHooks = {
    keyWait: () => 0,
    publish({ key, client }) {
      publishers.push(client);
      return publish(key);
    },
    play({ key, client }) {
      players.push(client);
      return key === 'play'
        ? { ok: true, bus, onClosed: (reason) => ends.push(`player: ${reason}`) }
        : { ok: false, code: 'NetStream.Play.StreamNotFound', text: 'No such key.' };
    },
    log: (level, text, { reason = '' }) => logs.push(`${level} ${text}: ${reason}`),
  };
  const server = new RtmpServer({
    hostname: '127.0.0.1',
    port: 0,
    hooks,
    limits,
    boundKey: (address) => address,
    ...(relay && { relay }),
    ...(maxConnections === undefined ? {} : { maxConnections }),
  });
  server.start();
  const endTicks = shareInterval(1000, () => {
    server.tick();
    if (server.port === 0) endTicks();
  });
  const url = (key: string): string => `rtmp://127.0.0.1:${server.port}/live/${key}`;
  return { server, bus, sinks, publishers, players, logs, ends, isPublishing: () => current !== undefined, url };
}
