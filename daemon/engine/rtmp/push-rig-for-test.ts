/** A push to a scripted server, for its tests. */
import { toLoopback } from '../../../tests/support/outgoing.ts';
import { createFlvBus, type FlvBus, type FlvMessage } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvSink } from '../flv/flv-sink.ts';
import type { RtmpFailure } from './client-failure.ts';
import { type Command, resultMessage, statusMessage } from './commands.ts';
import { RtmpPush, type RtmpPushOptions } from './push.ts';
import { type ScriptedServer, type ScriptOptions, startScriptedServer } from './scripted-server-for-test.ts';

export const video = (timestamp: number, size = 6): FlvMessage => {
  const payload = new Uint8Array(size).fill(timestamp & 0xff);
  payload.set([0x17, 1, 0, 0, 0]);
  return { type: 9, timestamp, payload };
};
export const videoHeader: FlvMessage = { type: 9, timestamp: 0, payload: Uint8Array.of(0x17, 0, 0, 0, 0, 1) };

export const cleanups: (() => void)[] = [];

/** Ends the pushes and servers of a test. */
export function cleanUp(): void {
  for (const cleanup of cleanups.splice(0)) cleanup();
}

export function serve(options: ScriptOptions): ScriptedServer {
  const server = startScriptedServer(options);
  cleanups.push(() => server.stop());
  return server;
}

/** A server that accepts everything, on the given message stream. */
export function welcome({ name, transaction }: Command, streamId = 1): Uint8Array[] {
  if (name === 'connect') return [resultMessage(transaction, {}, { code: 'NetConnection.Connect.Success' })];
  if (name === 'createStream') return [resultMessage(transaction, null, streamId)];
  return name === 'publish' ? [statusMessage(streamId, 'status', 'NetStream.Publish.Start', '')] : [];
}

interface Bench {
  readonly push: RtmpPush;
  readonly bus: FlvBus;
  readonly sink: FlvSink;
  readonly stages: string[];
  /** Resolves to the failure, or to undefined after a stop. */
  readonly ended: Promise<RtmpFailure | undefined>;
  /** Resolves when media may flow. */
  readonly streaming: Promise<void>;
}

export function start(options: Partial<RtmpPushOptions> & { readonly url: string }): Bench {
  // Wide enough that nothing is skipped, however slow the server is.
  const bus = createFlvBus({
    lagMs: 60_000,
    lagBytes: 64 << 20,
    ownBytes: 64 << 20,
    maxBytes: 64 << 20,
    maxMs: 60_000,
  });
  const sink = createFlvSink(bus);
  const stages: string[] = [];
  const ended = Promise.withResolvers<RtmpFailure | undefined>();
  const streaming = Promise.withResolvers<void>();
  const push = new RtmpPush({
    outgoing: toLoopback,
    key: 'stream-k3y',
    bus,
    onStage(stage) {
      stages.push(stage);
      if (stage === 'stream') streaming.resolve();
    },
    onEnd: ended.resolve,
    ...options,
  });
  push.start();
  cleanups.push(() => void push.stop());
  return { push, bus, sink, stages, ended: ended.promise, streaming: streaming.promise };
}

export function send(sink: FlvSink, ...messages: FlvMessage[]): void {
  for (const message of messages) sink.message(message);
  sink.flush();
}
