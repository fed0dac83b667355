/** Stands in for the engine in tests of the RTMP server: one channel with one push key and one play key. */
import { createFlvBus, type FlvBus } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvBusSink } from '../flv/flv-sink.ts';
import type { PublishGrant, Refusal, RtmpServerHooks, SessionLimits } from './hooks.ts';
import { RtmpServer } from './server.ts';

export interface EngineDouble {
  readonly server: RtmpServer;
  readonly bus: FlvBus;
  /** The sinks of all publishers so far. */
  readonly sinks: FlvBusSink[];
  readonly logs: string[];
  /** Reasons why publishers and players ended. */
  readonly ends: string[];
  readonly isPublishing: () => boolean;
  readonly url: (key: 'push' | 'play' | 'wrong') => string;
}

export function startEngineDouble(limits: Partial<SessionLimits> = {}, maxConnections?: number): EngineDouble {
  const bus = createFlvBus();
  const sinks: FlvBusSink[] = [];
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
    publish: ({ key }) => publish(key),
    play: ({ key }) =>
      key === 'play'
        ? { ok: true, bus, onClosed: (reason) => ends.push(`player: ${reason}`) }
        : { ok: false, code: 'NetStream.Play.StreamNotFound', text: 'No such key.' },
    log: (level, text, { reason = '' }) => logs.push(`${level} ${text}: ${reason}`),
  };
  const server = new RtmpServer({
    hostname: '127.0.0.1',
    port: 0,
    hooks,
    limits,
    boundKey: (address) => address,
    ...(maxConnections === undefined ? {} : { maxConnections }),
  });
  server.start();
  const url = (key: string): string => `rtmp://127.0.0.1:${server.port}/live/${key}`;
  return { server, bus, sinks, logs, ends, isPublishing: () => current !== undefined, url };
}
