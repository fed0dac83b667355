/**
 * Streams of a real engine to and from FFmpeg and srt-live-transmit across a link, while the address of the machine
 * changes and its interface is removed and recreated. Prints for how long the video was missing.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { UdpStream } from '../../daemon/sources/stream-address.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { type LiveEngine, pushed, startEngine } from './live-engine.ts';
import { inspect, killAll, publish, type Running, record, run, untilRecorded } from './live-media.ts';
import { addresses, inOwnNetwork, Neighbour } from './own-network.ts';

setDefaultTimeout(120_000);

inOwnNetwork('streams continue after the address and the interface have changed', import.meta.path, () => {
  let neighbour: Neighbour;
  let engine: LiveEngine;
  beforeAll(async () => {
    neighbour = await Neighbour.start();
    engine = await startEngine(1);
  });
  afterAll(async () => {
    await killAll();
    await engine.stop();
    await neighbour.stop();
  });

  const { far, group } = addresses.IPv4;
  const file = (name: string) => join(engine.folder, `${name}.ts`);
  const udp = (host: string, port: number, device = ''): UdpStream => {
    return { protocol: 'udp', host, port, ttl: 4, interface: device, source: '' };
  };
  /** Four seconds of the clip or more. */
  const more = (name: string) => untilRecorded(file(name), statSync(file(name)).size + 800_000, 40_000);
  const allMore = (names: readonly string[]) => Promise.all(names.map(more));

  async function ended(recordings: Readonly<Record<string, Running>>, event: string): Promise<void> {
    for (const [name, recording] of Object.entries(recordings)) {
      expect(recording.child.exitCode).toBeNull();
      await recording.stop();
      const { longestGap, pictures, goesBack } = await inspect(file(name));
      console.log(`${name}, ${event}: ${longestGap.video.toFixed(2)} s without picture`);
      expect(pictures).toBeGreaterThan(100);
      expect(goesBack).toBe(false);
    }
  }

  /** Channel 1 with an output of each kind, recorded at the far end. */
  async function sendToFarEnd(names: readonly ('host' | 'group' | 'srt')[], mark: string) {
    const ports = { host: leasePort(), group: leasePort(), srt: leasePort() };
    const inFar = (running: readonly string[]) => run([...neighbour.there, ...running]);
    const receivers = {
      host: () => record(`udp://${far}:${ports.host}`, file(`host ${mark}`), undefined, neighbour.there),
      group: () =>
        record(`udp://${group}:${ports.group}?localaddr=${far}`, file(`group ${mark}`), undefined, neighbour.there),
      srt: () => {
        const from = `srt://${far}:${ports.srt}?mode=listener`;
        return inFar(['sh', '-c', 'exec srt-live-transmit "$0" file://con > "$1"', from, file(`srt ${mark}`)]);
      },
    };
    const srt = { protocol: 'srt', mode: 'caller', host: far, port: ports.srt, latencyMs: 120 } as const;
    const open = { overheadPercent: 0, streamId: '', passphrase: '', keyLength: 0, maxConnections: 1 } as const;
    const targets = {
      host: udp(far, ports.host),
      group: udp(group, ports.group, 'near'),
      srt: { ...srt, ...open },
    };
    const recordings = Object.fromEntries(names.map((name) => [`${name} ${mark}`, receivers[name]()]));
    const outputs = names.map((name, i) => ({ id: i + 1, enabled: true, target: targets[name] }));
    await engine.put(pushed(1, { outputs }));
    const encoder = publish(`rtmp://127.0.0.1:${engine.ports.rtmp}/live/push-1`);
    const files = Object.keys(recordings);
    await Promise.all(files.map((name) => untilRecorded(file(name), 800_000, 30_000)));
    return { recordings, files, encoder };
  }

  test('outputs continue from the new address', async () => {
    const { recordings, files, encoder } = await sendToFarEnd(['host', 'group', 'srt'], 'moved');
    neighbour.move(addresses.IPv4);
    await allMore(files);
    await encoder.stop();
    await ended(recordings, 'address changed');
  });

  test('outputs continue over an interface that was removed and recreated', async () => {
    const { recordings, files, encoder } = await sendToFarEnd(['host', 'srt'], 'new');
    neighbour.disconnect();
    neighbour.connect();
    await allMore(files);
    await encoder.stop();
    await ended(recordings, 'interface removed and created again');
  });

  test('an input rejoins its multicast group on the new interface', async () => {
    const [input, output] = [leasePort(), leasePort()];
    const send = () => publish(`udp://${group}:${input}?pkt_size=1316&localaddr=${far}`, undefined, neighbour.there);
    const outputs = [{ id: 1, enabled: true, target: udp('127.0.0.1', output) }];
    const recordings = { input: record(`udp://127.0.0.1:${output}`, file('input')) };
    await engine.put(pushed(2, { inputId: 1, input: udp(group, input, 'near'), outputs }));
    const encoder = send();
    await untilRecorded(file('input'), 800_000, 30_000);
    neighbour.disconnect();
    await encoder.stop();
    neighbour.connect();
    send();
    await until(() => engine.channel(2).input.conn === 10, 30_000, 'the input is connected');
    await more('input');
    expect(recordings.input.child.exitCode).toBeNull();
  });
});
