/** Source tests requested by operators: a few at a time; each can be canceled. */

import { connectionStates } from '../../contract/streams.ts';
import type { TestOutcome } from '../../media/protocol/messages.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import { timing } from '../../timing.ts';
import type { ChannelPorts } from '../channel/channel.ts';
import type { ChannelRegistry } from '../channel/channel-registry.ts';
import type { FfmpegDetector } from '../ffmpeg/detector.ts';
import { openProbeChannel, probeSource } from './source-probe.ts';

interface SourceTestOptions {
  readonly ports: ChannelPorts;
  /** ffprobe is in the same folder. */
  readonly ffmpeg: Pick<FfmpegDetector, 'path' | 'firstLook'>;
  readonly registry: Pick<ChannelRegistry, 'probeChannels' | 'onAir'>;
}

export type SourceTests = ReturnType<typeof createSourceTests>;

const maxTests = 4;
/** Above all ids of the hub's channels and of source channels. */
const firstId = 0x7000_0000;
const unavailable: TestOutcome = { isFound: false, conn: connectionStates.creationFailed, reason: 'partMissing' };

export function createSourceTests({ ports, ffmpeg, registry }: SourceTestOptions) {
  const running = new Map<number, AbortController>();
  let lastId = firstId;

  function open(source: FetchSource) {
    const id = ++lastId;
    const own = openProbeChannel(id, source, ports);
    registry.probeChannels.set(id, own.channel);
    const close = () => {
      registry.probeChannels.delete(id);
      own.close();
    };
    return { channel: own.channel, close };
  }

  async function look(inputId: number, source: FetchSource, signal: AbortSignal): Promise<TestOutcome> {
    if (ffmpeg.path === undefined) await ffmpeg.firstLook;
    if (ffmpeg.path === undefined) return unavailable;
    const running = registry.onAir(inputId, source);
    const { channel, close } = running ? { channel: running, close: undefined } : open(source);
    const ffprobe = ffmpeg.path.replace(/ffmpeg([^/]*)$/, 'ffprobe$1');
    try {
      return await probeSource({ channel, isOwn: !running, ffprobe, timeoutMs: timing.sourceTest.testMs, signal });
    } catch {
      // ffprobe could not be started.
      return unavailable;
    } finally {
      close?.();
    }
  }

  return {
    /** Returns undefined if too many tests are running. */
    async run(test: number, inputId: number, source: FetchSource): Promise<TestOutcome | undefined> {
      if (running.size >= maxTests) return undefined;
      const aborter = new AbortController();
      running.set(test, aborter);
      try {
        return await look(inputId, source, aborter.signal);
      } finally {
        running.delete(test);
      }
    },
    end: (test: number) => running.get(test)?.abort(),
    close(): void {
      for (const aborter of running.values()) aborter.abort();
    },
  };
}
