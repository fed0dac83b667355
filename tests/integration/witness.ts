/** Players that watch a channel while something else on it goes wrong: they must feel nothing. */
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import { packetSize } from '../../daemon/media/mpegts/packet.ts';
import { createTsScanner } from '../../daemon/media/mpegts/scanner.ts';
import { until } from '../support/until.ts';
import { inspect, record, untilRecorded } from './live-media.ts';
import type { RigChannel, RigLeg } from './relay-rig.ts';
import { expectWhole } from './whole-recording.ts';

export interface UdpWitness {
  readonly port: number;
  readonly packets: number;
  readonly continuityErrors: number;
  /** Milliseconds between two datagrams, at most, since `reset`. */
  readonly longestPause: number;
  /** Resolves when that many packets more have come. */
  more(packets: number, withinMs?: number): Promise<number>;
  reset(): void;
  close(): void;
}

export async function udpWitness(): Promise<UdpWitness> {
  const socket = createSocket('udp4');
  const scanner = createTsScanner();
  let [packets, last, longest, forgotten] = [0, 0, 0, 0];
  socket.on('message', (data) => {
    for (let at = 0; at + packetSize <= data.length; at += packetSize) {
      scanner.scan(data, at);
      packets++;
    }
    const now = performance.now();
    if (last > 0) longest = Math.max(longest, now - last);
    last = now;
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  socket.setRecvBufferSize(212_992);
  return {
    port: socket.address().port,
    get packets() {
      return packets;
    },
    get continuityErrors() {
      return scanner.continuityErrors - forgotten;
    },
    get longestPause() {
      return Math.max(longest, last > 0 ? performance.now() - last : 0);
    },
    more(count, withinMs = 15_000) {
      const wanted = packets + count;
      return until(() => packets >= wanted, withinMs, `${count} packets more`);
    },
    reset() {
      [last, longest, forgotten] = [0, 0, scanner.continuityErrors];
    },
    close: () => socket.close(),
  };
}

export interface Witness {
  readonly output: RigLeg;
  readonly udp: UdpWitness;
  /** Fails unless both saw all of it; answers the longest pause over UDP, in milliseconds. */
  expectUndisturbed(): Promise<number>;
}

let count = 0;

/** An RTMP player that records, and an output over UDP, both running. */
export async function witnessOf(channel: RigChannel, folder: string): Promise<Witness> {
  const udp = await udpWitness();
  const output = await channel.addOutput({ udp: { host: '127.0.0.1', port: udp.port } });
  const file = join(folder, `witness-${++count}.mkv`);
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
      if (reconnects > 0) throw new Error(`the UDP output began anew ${reconnects} times`);
      await player.stop();
      const seconds = (performance.now() - began) / 1000;
      expectWhole(await inspect(file), Math.min(seconds, 6));
      udp.close();
      return Math.round(pause);
    },
  };
}
