/** Source tests: those of operators and the looks at streams of devices. A few at a time; each can be canceled. */

import { connectionStates } from '../../contract/streams.ts';
import type { Log } from '../../lib/log.ts';
import type { TestOutcome } from '../../media/protocol/messages.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import { timing } from '../../timing.ts';
import type { Channel, ChannelPorts } from '../channel/channel.ts';
import type { ChannelRegistry } from '../channel/channel-registry.ts';
import type { FfmpegDetector } from '../ffmpeg/detector.ts';
import { oneFrame } from '../preview/one-frame.ts';
import { openProbeChannel, probeSource, watchSource } from './source-probe.ts';

interface SourceTestOptions {
  readonly ports: ChannelPorts;
  /** ffprobe is in the same folder. */
  readonly ffmpeg: Pick<FfmpegDetector, 'path' | 'firstLook'>;
  readonly registry: Pick<ChannelRegistry, 'probeChannels' | 'onAir'>;
}

export type SourceTests = ReturnType<typeof createSourceTests>;

const maxTests = 4;
/** They open a connection each, and need no process. */
const maxLooks = 16;
/** An FFmpeg process each, for all devices of the hub. */
const maxFrames = 2;
/** Above all ids of the hub's channels and of source channels. */
const firstId = 0x7000_0000;
const unavailable: TestOutcome = { isFound: false, conn: connectionStates.creationFailed, reason: 'partMissing' };

export function createSourceTests({ ports, ffmpeg, registry }: SourceTestOptions) {
  const running = new Map<number, AbortController>();
  const looking = new Map<number, AbortController>();
  const framing = new Map<number, AbortController>();
  let lastId = firstId;

  /** Devices are looked at all the time, and the hub logs when one comes or goes. */
  const silently: ChannelPorts = { ...ports, log: asDebug(ports.log) };

  function open(source: FetchSource, its: ChannelPorts) {
    const id = ++lastId;
    const own = openProbeChannel(id, source, its);
    registry.probeChannels.set(id, own.channel);
    const close = () => {
      registry.probeChannels.delete(id);
      own.close();
    };
    return { channel: own.channel, close };
  }

  /** The channel that carries the source, or one of its own for as long as `work` takes. */
  async function withChannel<T>(
    { inputId, source, its }: { inputId: number; source: FetchSource; its: ChannelPorts },
    work: (channel: Channel, isOwn: boolean) => Promise<T>,
  ): Promise<T> {
    const carrying = registry.onAir(inputId, source);
    const { channel, close } = carrying ? { channel: carrying, close: undefined } : open(source, its);
    try {
      return await work(channel, carrying === undefined);
    } finally {
      close?.();
    }
  }

  async function probe(inputId: number, source: FetchSource, signal: AbortSignal): Promise<TestOutcome> {
    if (ffmpeg.path === undefined) await ffmpeg.firstLook;
    if (ffmpeg.path === undefined) return unavailable;
    const ffprobe = ffmpeg.path.replace(/ffmpeg([^/]*)$/, 'ffprobe$1');
    try {
      return await withChannel({ inputId, source, its: ports }, (channel, isOwn) =>
        probeSource({ channel, isOwn, ffprobe, timeoutMs: timing.sourceTest.testMs, signal }),
      );
    } catch {
      // ffprobe could not be started.
      return unavailable;
    }
  }

  const watch = (inputId: number, source: FetchSource, signal: AbortSignal): Promise<TestOutcome> =>
    withChannel({ inputId, source, its: silently }, (channel, isOwn) =>
      watchSource({ channel, isOwn, timeoutMs: timing.sourceTest.lookMs, signal }),
    );

  async function frame(inputId: number, source: FetchSource, signal: AbortSignal): Promise<Buffer | 'none'> {
    const binary = ffmpeg.path;
    if (binary === undefined) return 'none';
    const found = await withChannel({ inputId, source, its: silently }, (channel) =>
      oneFrame({ channel, binary, timeoutMs: timing.sourceTest.lookMs, signal }),
    );
    return found ?? 'none';
  }

  /** Returns undefined if `maxCount` of its kind are running. */
  async function canceledBy<T>(
    test: number,
    all: Map<number, AbortController>,
    maxCount: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    if (all.size >= maxCount) return undefined;
    const aborter = new AbortController();
    all.set(test, aborter);
    try {
      return await work(aborter.signal);
    } finally {
      all.delete(test);
    }
  }

  return {
    /** Returns undefined if too many tests are running. */
    run: (test: number, inputId: number, source: FetchSource) =>
      canceledBy(test, running, maxTests, (signal) => probe(inputId, source, signal)),
    /** Returns undefined if too many looks are running. */
    look: (test: number, inputId: number, source: FetchSource) =>
      canceledBy(test, looking, maxLooks, (signal) => watch(inputId, source, signal)),
    /** Returns a JPEG, `none` if there is none in time, and undefined if too many are being made. */
    frame: (test: number, inputId: number, source: FetchSource) =>
      canceledBy(test, framing, maxFrames, (signal) => frame(inputId, source, signal)),
    end: (test: number) => (running.get(test) ?? looking.get(test) ?? framing.get(test))?.abort(),
    close(): void {
      for (const all of [running, looking, framing]) for (const aborter of all.values()) aborter.abort();
    },
  };
}

/** The same log, in which every line is only for debugging. */
function asDebug(log: Log): Log {
  const { debug } = log;
  return { debug, info: debug, warn: debug, error: debug, in: (scope) => asDebug(log.in(scope)) };
}
