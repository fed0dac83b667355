/** Players that watch a channel while a fault is injected elsewhere on it: they must not be affected. */
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { inspect, record, untilRecorded } from './live-media.ts';
import type { RigChannel, RigConnection } from './relay-rig.ts';
import { counted } from './udp-monitor-worker.ts';
import { expectWhole } from './whole-recording.ts';

export interface UdpMonitor {
  readonly port: number;
  readonly packets: number;
  /** Errors since `reset`. */
  readonly continuityErrors: number;
  /** The longest interval between two datagrams, in milliseconds. */
  readonly longestPause: number;
  /** Resolves when that many more packets have arrived. */
  more(packets: number, withinMs?: number): Promise<number>;
  reset(): void;
  close(): void;
}

export async function udpMonitor(): Promise<UdpMonitor> {
  const counts = new Float64Array(new SharedArrayBuffer(counted.length * Float64Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('./udp-monitor-worker.ts', import.meta.url).href);
  worker.postMessage(counts.buffer);
  const count = (place: number): number => counts[place] ?? 0;
  let forgotten = 0;
  await until(() => count(counted.port) !== 0, 20_000, 'the UDP receiver is bound');
  return {
    port: count(counted.port),
    get packets() {
      return count(counted.packets);
    },
    get continuityErrors() {
      return count(counted.continuityErrors) - forgotten;
    },
    get longestPause() {
      return count(counted.longestPauseMs);
    },
    more(more, withinMs = 15_000) {
      const desired = count(counted.packets) + more;
      return until(() => count(counted.packets) >= desired, withinMs, `${more} more packets`);
    },
    reset() {
      forgotten = count(counted.continuityErrors);
    },
    close: () => worker.terminate(),
  };
}

export interface Monitor {
  readonly output: RigConnection;
  readonly udp: UdpMonitor;
  /** Fails unless both received everything; returns the longest pause over UDP, in milliseconds. */
  expectUndisturbed(): Promise<number>;
}

let count = 0;

/** A recording RTMP player and an output over UDP, both running. */
export async function monitorOf(channel: RigChannel, folder: string): Promise<Monitor> {
  const udp = await udpMonitor();
  const output = await channel.addOutput({ udp: { host: '127.0.0.1', port: udp.port } });
  const file = join(folder, `monitor-${++count}.mkv`);
  const began = performance.now();
  const player = record(channel.play.rtmp, file);
  await untilRecorded(file, 200_000, 20_000);
  await udp.more(500);
  udp.reset();
  return {
    output,
    udp,
    async expectUndisturbed() {
      const errors = udp.continuityErrors;
      const pause = udp.longestPause;
      if (errors > 0) throw new Error(`the UDP output lost packets ${errors} times`);
      if (player.child.exitCode !== null) throw new Error(`the RTMP player was disconnected: ${player.stderr()}`);
      const { reconnects } = await output.now();
      if (reconnects > 0) throw new Error(`the UDP output reconnected ${reconnects} times`);
      await player.stop();
      const seconds = (performance.now() - began) / 1000;
      expectWhole(await inspect(file), Math.min(seconds, 6));
      udp.close();
      return Math.round(pause);
    },
  };
}
