/** Source tests requested by operators: a few at a time; each can be canceled. */

import { connectionStates } from '../../contract/streams.ts';
import type { TestOutcome } from '../../media/protocol/messages.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import { timing } from '../../timing.ts';
import type { ChannelPorts } from '../channel/channel.ts';
import type { ChannelRegistry } from '../channel/channel-registry.ts';
import type { FfmpegDetector } from '../ffmpeg/detector.ts';
import { probeSource, scratchStage, sharedStage } from './source-probe.ts';

export interface SourceTestOptions {
  readonly ports: ChannelPorts;
  /** ffprobe is in the same folder. */
  readonly ffmpeg: Pick<FfmpegDetector, 'path' | 'firstLook'>;
  readonly registry: Pick<ChannelRegistry, 'probeChannels' | 'onAir'>;
}

export interface SourceTests {
  /** Returns undefined if too many tests are running. */
  run(test: number, inputId: number, source: FetchSource): Promise<TestOutcome | undefined>;
  end(test: number): void;
  close(): void;
}

const maxTests = 4;
/** Above all ids of the hub's channels and of source channels. */
const firstId = 0x7000_0000;
const unavailable: TestOutcome = { isFound: false, conn: connectionStates.creationFailed, reason: 'partMissing' };

export function createSourceTests({ ports, ffmpeg, registry }: SourceTestOptions): SourceTests {
  const running = new Map<number, AbortController>();
  let lastId = firstId;

  function scratch(source: FetchSource) {
    const id = ++lastId;
    const stage = scratchStage(id, source, ports);
    registry.probeChannels.set(id, stage.channel);
    const leave = () => {
      registry.probeChannels.delete(id);
      stage.leave();
    };
    return { ...stage, leave };
  }

  async function look(inputId: number, source: FetchSource, signal: AbortSignal): Promise<TestOutcome> {
    if (ffmpeg.path === undefined) await ffmpeg.firstLook;
    if (ffmpeg.path === undefined) return unavailable;
    const channel = registry.onAir(inputId, source);
    const stage = channel ? sharedStage(channel) : scratch(source);
    const ffprobe = ffmpeg.path.replace(/ffmpeg([^/]*)$/, 'ffprobe$1');
    try {
      return await probeSource({ stage, source, ffprobe, timeoutMs: timing.sourceTest.testMs, signal });
    } catch {
      // ffprobe could not be started.
      return unavailable;
    } finally {
      stage.leave();
    }
  }

  return {
    async run(test, inputId, source) {
      if (running.size >= maxTests) return undefined;
      const aborter = new AbortController();
      running.set(test, aborter);
      try {
        return await look(inputId, source, aborter.signal);
      } finally {
        running.delete(test);
      }
    },
    end: (test) => running.get(test)?.abort(),
    close() {
      for (const aborter of running.values()) aborter.abort();
    },
  };
}
