/**
 * Faults of publishers, networks and destinations: what the API says meanwhile, how long until it is good again, and
 * that nobody else on the channel feels anything. Those of our own processes are in process-faults.test.ts.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../bench/ports.ts';
import { createFaultReport } from './fault-report.ts';
import { closeGates, openGate } from './gate.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { inspect, killAll, publish, record, until, untilRecorded } from './live-media.ts';
import { freeUdpPort, RelayRig, type RigChannel } from './relay-rig.ts';
import { type Witness, witnessOf } from './witness.ts';

setDefaultTimeout(150_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-faults-'));
const report = createFaultReport();
let hub: HubProcess;
let rig: RelayRig;
let studio: RigChannel;
let witness: Witness;

beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
  rig = new RelayRig(hub);
  studio = await rig.addChannel();
  publish(studio.push.rtmp);
  await studio.input.untilGood();
  witness = await witnessOf(studio, folder);
});
afterAll(async () => {
  await killAll();
  closeGates();
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
  report.print();
});

describe.concurrent('a publisher', () => {
  test.each([1, 10, 60])('that is back after %d s finds its channel and its outputs', async (seconds) => {
    const [channel, over] = [await rig.addChannel(), await rig.addChannel()];
    const output = await channel.addOutput({ url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: over.pushKey });
    const encoder = publish(channel.push.rtmp);
    await output.untilGood();
    const file = join(folder, `gone-${seconds}.mkv`);
    const player = record(channel.play.rtmp, file);
    await untilRecorded(file, 200_000, 20_000);
    encoder.child.kill('SIGKILL');
    await channel.input.until({ conn: 'waiting', reason: 'closedByPeer', state: 'offline' });
    await Bun.sleep(seconds * 1000);
    // Outputs are held for 10 s, and let go then.
    if (seconds === 60) await output.until({ conn: 'waiting', reason: 'noInput', state: 'offline' });
    const before = Bun.file(file).size;
    const began = performance.now();
    publish(channel.push.rtmp);
    await channel.input.untilGood();
    await output.untilGood();
    await over.input.untilGood();
    report.add(`publisher gone for ${seconds} s`, 'waiting, closedByPeer', performance.now() - began);
    if (seconds === 1) expect((await output.now()).reconnects).toBe(0);
    // Players wait as long as it takes.
    await until(() => Bun.file(file).size > before + 200_000, 15_000, 'the player has pictures again');
    await player.stop();
    expect((await inspect(file)).goesBack).toBe(false);
  });

  test('that comes to a key in use is refused, and the first goes on', async () => {
    for (const url of [studio.push.rtmp, studio.push.srt]) expect(await publish(url).exited).not.toBe(0);
    await studio.input.until({ conn: 'connected', reason: undefined, state: 'running' });
    report.add('a second publisher on the key', 'connected (the first)', 0);
  });
});

describe.concurrent('a destination', () => {
  const pushTo = async (port: number) => {
    const over = await rig.addChannel();
    return { over, output: await studio.addOutput({ url: `rtmp://127.0.0.1:${port}/live`, key: over.pushKey }) };
  };

  test('that resets every 5 s is called again soon, each time', async () => {
    const gate = await openGate({ port: await freePorts(1), to: hub.ports.rtmp });
    const { output } = await pushTo(gate.port);
    await output.untilGood();
    let longest = 0;
    for (let round = 0; round < 4; round++) {
      await Bun.sleep(5000);
      gate.cut('reset');
      const began = performance.now();
      await output.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
      await output.untilGood();
      longest = Math.max(longest, performance.now() - began);
    }
    report.add('destination resets every 5 s (longest)', 'disconnected, closedByPeer', longest);
    expect(longest).toBeLessThan(5000);
    expect((await output.now()).reconnects).toBe(4);
  });

  test('with another passphrase says so, until it is the right one', async () => {
    const port = await freeUdpPort();
    const door = { mode: 'listener', host: '127.0.0.1', port, latency: 120, 'pb-key-len': 32 } as const;
    await rig.addInput({ srt: { ...door, passphrase: 'correct horse' } });
    const call = { ...door, mode: 'caller' };
    const output = await studio.addOutput({ srt: { ...call, passphrase: 'something else' } });
    await output.until({ conn: 'authorizationFailed', reason: 'wrongPassphrase', state: 'failed' });
    await output.change({ srt: { ...call, passphrase: 'correct horse' } });
    report.add(
      'wrong passphrase, then the right one',
      'authorizationFailed, wrongPassphrase',
      await output.untilGood(),
    );
  });
});

describe.concurrent('a network', () => {
  test('with 1 % loss and packets out of order: counted, and the stream goes on', async () => {
    const lossy = async (protocol: 'udp' | 'rtp') => {
      const port = await freeUdpPort();
      const input = await rig.addInput({ [protocol]: { host: '127.0.0.1', port } });
      const relay = await openLossyRelay(port);
      await studio.addOutput({ [protocol]: { host: '127.0.0.1', port: relay.port } });
      await input.untilGood();
      const file = join(folder, `lossy-${protocol}.mkv`);
      expect(await record(input.of.play.rtmp, file, 8).exited).toBe(0);
      const { input: shown } = await rig.view(input.of.id);
      const { pictures, goesBack } = await inspect(file);
      relay.close();
      expect(shown).toMatchObject({ state: 2, reconnects: 0 });
      expect({ protocol, goesBack }).toEqual({ protocol, goesBack: false });
      expect(pictures).toBeGreaterThan(40);
      return { errors: shown['cc-errors'] ?? 0, lost: relay.lost };
    };
    const [udp, rtp] = await Promise.all([lossy('udp'), lossy('rtp')]);
    report.add('UDP, 1 % lost and 1 % out of order', `connected, ${udp.errors} CC errors (${udp.lost} lost)`, 0);
    report.add('RTP, the same (put into order again)', `connected, ${rtp.errors} CC errors (${rtp.lost} lost)`, 0);
    expect(udp.errors).toBeGreaterThan(0);
    expect(rtp.errors).toBeLessThan(udp.errors);
  });
});

test('all the while, the players that watched felt nothing', async () => {
  const pause = await witness.expectUndisturbed();
  report.add('the others, all the while: longest pause', 'connected', pause);
});

interface LossyRelay {
  readonly port: number;
  readonly lost: number;
  close(): void;
}

/** Drops one datagram of a hundred, and lets another one of a hundred wait for the next. */
async function openLossyRelay(to: number): Promise<LossyRelay> {
  const socket = createSocket('udp4');
  let lost = 0;
  let late: Buffer | undefined;
  socket.on('message', (data) => {
    const dice = Math.random();
    if (dice < 0.01) {
      lost++;
      return;
    }
    if (dice < 0.02 && !late) {
      late = Buffer.from(data);
      return;
    }
    socket.send(data, to, '127.0.0.1');
    if (late) socket.send(late, to, '127.0.0.1');
    late = undefined;
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    port: socket.address().port,
    get lost() {
      return lost;
    },
    close: () => socket.close(),
  };
}
