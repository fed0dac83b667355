/** Ports that this machine listens on and sends from. */
import { describe, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { leasePort } from '../../support/ports.ts';
import { publish } from '../live-media.ts';
import type { StatesStage } from './stage.ts';

export function ownPortStates(stage: StatesStage): void {
  describe.concurrent('local ports', () => {
    test('a stream without the selected program, and another choice', async () => {
      const port = leasePort();
      const udp = { host: '127.0.0.1', port };
      const input = await stage.rig.addInput({ udp, program: 99 });
      await stage.studio.addOutput({ udp });
      await input.until({ conn: 'waitingForData', reason: 'noProgram', state: 'running' });
      await input.change({ udp, program: 1 });
      await input.untilGood();
    });

    test('SRT and UDP: in use by another program, then free', async () => {
      const taken = createSocket('udp4');
      await new Promise<void>((resolve) => taken.bind(0, '127.0.0.1', resolve));
      const { port } = taken.address();
      const listener = { mode: 'listener', host: '127.0.0.1', port, latency: 120 } as const;
      const udp = await stage.rig.addInput({ udp: { host: '127.0.0.1', port } });
      await udp.until({ conn: 'creationFailed', reason: 'addressInUse', state: 'failed' });
      const srt = await stage.rig.addInput({ srt: listener });
      await srt.until({ conn: 'creationFailed', reason: 'addressInUse', state: 'failed' });
      await stage.hub.api('/api/channel/enable', { id: udp.channel, enable: false });
      await new Promise<void>((resolve) => taken.close(() => resolve()));
      await srt.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
      publish(`srt://127.0.0.1:${port}?mode=caller&pkt_size=1316`);
      await srt.untilGood();
    });

    test('an address that this machine does not have', async () => {
      const [port, srtPort] = [leasePort(), leasePort()];
      const stranger = '203.0.113.7';
      const input = await stage.rig.addInput({ rtp: { host: stranger, port } });
      await input.until({ conn: 'creationFailed', reason: 'internal', state: 'failed' });
      const group = { host: '239.255.1.1', port };
      const output = await stage.studio.addOutput({ rtp: { ...group, interface: stranger } });
      await output.until({ conn: 'creationFailed', reason: 'internal', state: 'failed' });
      const door = { mode: 'listener', port: srtPort, latency: 120 } as const;
      const listener = await stage.studio.addOutput({ srt: { ...door, host: stranger } });
      await listener.until({ conn: 'creationFailed', reason: 'internal', state: 'failed' });
      await listener.change({ srt: { ...door, host: '127.0.0.1' } });
      await listener.until({ conn: 'connected', reason: undefined, state: 'running' });
      await input.change({ rtp: { host: '127.0.0.1', port } });
      await output.change({ rtp: { ...group, interface: '127.0.0.1' } });
      await output.untilGood();
      await output.change({ rtp: { host: '127.0.0.1', port } });
      await input.untilGood();
    });

    test('UDP: no sender, then data that is not a transport stream, then one', async () => {
      const port = leasePort();
      const input = await stage.rig.addInput({ udp: { host: '127.0.0.1', port } });
      await input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
      const socket = createSocket('udp4');
      const noise = crypto.getRandomValues(new Uint8Array(1316));
      const timer = setInterval(() => socket.send(noise, port, '127.0.0.1'), 5);
      await input.until({ conn: 'streamFailed', reason: 'noSync', state: 'failed' });
      clearInterval(timer);
      socket.close();
      await stage.studio.addOutput({ udp: { host: '127.0.0.1', port } });
      await input.untilGood();
    });
  });
}
