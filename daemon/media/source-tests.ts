/** The tests of sources that operators asked for: a few at a time, each of which can be ended. */
import { connectionStates } from '../contract/streams.ts';
import type { FetchSource } from './addresses.ts';
import type { Channel, ChannelPorts } from './channel.ts';
import type { TestOutcome } from './protocol.ts';
import { probeSource, scratchStage, sharedStage } from './source-probe.ts';

export interface SourceTestOptions {
  readonly ports: ChannelPorts;
  /** Path of ffmpeg; ffprobe is its neighbour. Undefined while FFmpeg can't be used. */
  readonly ffmpeg: () => string | undefined;
  /** Channels that the doors shall find by their id. */
  readonly backstage: Map<number, Channel>;
  /** Who has this stored input on air, or undefined. */
  readonly onAir: (inputId: number, source: FetchSource) => Channel | undefined;
}

export interface SourceTests {
  /** Undefined when too many run. */
  run(test: number, inputId: number, source: FetchSource): Promise<TestOutcome | undefined>;
  end(test: number): void;
  close(): void;
}

const maxTests = 4;
const timeoutMs = 10_000;
/** Above every id that the hub gives and that a feeder has. */
const firstId = 0x7000_0000;

export function createSourceTests({ ports, ffmpeg, backstage, onAir }: SourceTestOptions): SourceTests {
  const running = new Map<number, AbortController>();
  let lastId = firstId;

  function scratch(source: FetchSource) {
    const id = ++lastId;
    const stage = scratchStage(id, source, ports);
    backstage.set(id, stage.channel);
    const leave = () => {
      backstage.delete(id);
      stage.leave();
    };
    return { ...stage, leave };
  }

  return {
    async run(test, inputId, source) {
      const binary = ffmpeg();
      if (!binary) return { isFound: false, conn: connectionStates.creationFailed, reason: 'partMissing' };
      if (running.size >= maxTests) return undefined;
      const aborter = new AbortController();
      running.set(test, aborter);
      const channel = onAir(inputId, source);
      const stage = channel ? sharedStage(channel) : scratch(source);
      const ffprobe = binary.replace(/ffmpeg([^/]*)$/, 'ffprobe$1');
      try {
        return await probeSource({ stage, source, ffprobe, timeoutMs, signal: aborter.signal });
      } catch {
        // The program that looks could not even be started.
        return { isFound: false, conn: connectionStates.creationFailed, reason: 'partMissing' };
      } finally {
        running.delete(test);
        stage.leave();
      }
    },
    end: (test) => running.get(test)?.abort(),
    close() {
      for (const aborter of running.values()) aborter.abort();
    },
  };
}
