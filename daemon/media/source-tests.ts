/** The tests of sources that operators asked for: a few at a time, each of which can be ended. */

import { connectionStates } from '../contract/streams.ts';
import { timing } from '../timing.ts';
import type { FetchSource } from './addresses.ts';
import type { Cast } from './cast.ts';
import type { ChannelPorts } from './channel.ts';
import type { FfmpegLookout } from './ffmpeg/lookout.ts';
import type { TestOutcome } from './protocol.ts';
import { probeSource, scratchStage, sharedStage } from './source-probe.ts';

export interface SourceTestOptions {
  readonly ports: ChannelPorts;
  /** ffprobe is its neighbour. */
  readonly ffmpeg: Pick<FfmpegLookout, 'path' | 'firstLook'>;
  readonly cast: Pick<Cast, 'backstage' | 'onAir'>;
}

export interface SourceTests {
  /** Undefined when too many run. */
  run(test: number, inputId: number, source: FetchSource): Promise<TestOutcome | undefined>;
  end(test: number): void;
  close(): void;
}

const maxTests = 4;
/** Above every id that the hub gives and that a feeder has. */
const firstId = 0x7000_0000;
const unavailable: TestOutcome = { isFound: false, conn: connectionStates.creationFailed, reason: 'partMissing' };

export function createSourceTests({ ports, ffmpeg, cast }: SourceTestOptions): SourceTests {
  const running = new Map<number, AbortController>();
  let lastId = firstId;

  function scratch(source: FetchSource) {
    const id = ++lastId;
    const stage = scratchStage(id, source, ports);
    cast.backstage.set(id, stage.channel);
    const leave = () => {
      cast.backstage.delete(id);
      stage.leave();
    };
    return { ...stage, leave };
  }

  async function look(inputId: number, source: FetchSource, signal: AbortSignal): Promise<TestOutcome> {
    if (ffmpeg.path === undefined) await ffmpeg.firstLook;
    if (ffmpeg.path === undefined) return unavailable;
    const channel = cast.onAir(inputId, source);
    const stage = channel ? sharedStage(channel) : scratch(source);
    const ffprobe = ffmpeg.path.replace(/ffmpeg([^/]*)$/, 'ffprobe$1');
    try {
      return await probeSource({ stage, source, ffprobe, timeoutMs: timing.sourceTest.testMs, signal });
    } catch {
      // The program that looks could not even be started.
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
