/** Outputs that wait for their input start with its first picture: the publishers here send no second keyframe. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { packetSize } from '../../daemon/engine/mpegts/packet.ts';
import { createTsScanner } from '../../daemon/engine/mpegts/scanner.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { publish } from './live-media.ts';
import type { RigChannel } from './relay-rig.ts';
import { openRigHub } from './rig-hub.ts';

setDefaultTimeout(60_000);

const oneKeyframe = [
  ...['-re', '-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25', '-pix_fmt', 'yuv420p'],
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-b:v', '1500k'],
  ...['-g', '100000', '-sc_threshold', '0'],
];
const rtpHeader = 12;
const at = openRigHub({ name: 'first-picture', timeDivisor: 1 });

interface Receiver {
  readonly port: number;
  /** Pictures that a decoder can start with. */
  readonly keyframes: number;
  readonly continuityErrors: number;
  close(): void;
}

async function receiver(protocol: 'udp' | 'rtp'): Promise<Receiver> {
  const socket = createSocket('udp4');
  const scanner = createTsScanner();
  let keyframes = 0;
  socket.on('message', (data) => {
    for (let at = protocol === 'rtp' ? rtpHeader : 0; at + packetSize <= data.length; at += packetSize) {
      if (scanner.scan(data, at)) keyframes++;
    }
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    port: socket.address().port,
    get keyframes() {
      return keyframes;
    },
    get continuityErrors() {
      return scanner.continuityErrors;
    },
    close: () => socket.close(),
  };
}

/** Outputs over UDP and RTP that wait for the stream started by `publishTo`. */
async function expectFirstPicture(channel: RigChannel, publishTo: string): Promise<void> {
  const far = { udp: await receiver('udp'), rtp: await receiver('rtp') };
  for (const protocol of ['udp', 'rtp'] as const) {
    const output = await channel.addOutput({ [protocol]: { host: '127.0.0.1', port: far[protocol].port } });
    await output.until({ conn: 'waiting', reason: 'noInput', state: 'offline' });
  }
  await until(async () => (await at.rig.view(channel.id)).applied, 20_000, 'the engine has the outputs');
  const encoder = publish(publishTo, oneKeyframe);
  const haveStarted = () => far.udp.keyframes > 0 && far.rtp.keyframes > 0;
  await until(() => haveStarted() || encoder.child.exitCode !== null, 20_000, 'both have the first picture');
  expect(haveStarted()).toBe(true);
  expect([far.udp, far.rtp].map(({ continuityErrors }) => continuityErrors)).toEqual([0, 0]);
  await encoder.stop();
  far.udp.close();
  far.rtp.close();
}

test('of a publisher over RTMP', async () => {
  const channel = await at.rig.addChannel();
  await expectFirstPicture(channel, channel.push.rtmp);
});

test('of a publisher over SRT', async () => {
  const channel = await at.rig.addChannel();
  await expectFirstPicture(channel, channel.push.srt);
});

test('of a sender over UDP', async () => {
  const port = leasePort();
  const input = await at.rig.addInput({ udp: { host: '127.0.0.1', port } });
  await input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
  await expectFirstPicture(input.of, `udp://127.0.0.1:${port}?pkt_size=1316`);
});
