/** Calls to SRT listeners. */
import { describe, test } from 'bun:test';
import { protocolBits } from '../../../daemon/contract/streams.ts';
import { leasePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import { sendNoise } from '../fake-peers.ts';
import { publish, run } from '../live-media.ts';
import type { StatesStage } from './stage.ts';

export function srtCallerStates(stage: StatesStage): void {
  describe.concurrent('SRT caller', () => {
    const listen = (port: number) =>
      run(['srt-live-transmit', '-q', `srt://127.0.0.1:${port}?mode=listener`, 'file://con']);

    test('a closed port, a peer that leaves, one that pauses', async () => {
      const port = leasePort();
      const output = await stage.studio.addOutput({ type: 1, url: `srt://127.0.0.1:${port}?mode=caller&latency=120` });
      await output.until({ conn: 'tcpFailed', reason: 'unreachable', state: 'failed' });
      const first = listen(port);
      await output.untilGood();
      await first.stop();
      await output.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
      const second = listen(port);
      await output.untilGood();
      second.child.kill('SIGSTOP');
      await output.until({ conn: 'disconnected', reason: 'timeout', state: 'failed' });
      second.child.kill('SIGKILL');
      await second.exited;
      listen(port);
      await output.untilGood(40_000);
    });

    test('a wrong passphrase and an unknown stream id', async () => {
      const port = leasePort();
      const door = { mode: 'listener', host: '127.0.0.1', port, latency: 120, 'pb-key-len': 16 } as const;
      const input = await stage.rig.addInput({ srt: { ...door, passphrase: 'correct horse' } });
      await input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
      const call = { ...door, mode: 'caller' };
      const output = await stage.studio.addOutput({ srt: { ...call, passphrase: 'something else' } });
      await output.until({ conn: 'authorizationFailed', reason: 'wrongPassphrase', state: 'failed' });
      await output.change({ srt: { ...call, passphrase: 'correct horse' } });
      await output.untilGood();
      await input.untilGood();
      const { channel, key } = await stage.newKey();
      const common = {
        mode: 'caller',
        host: '127.0.0.1',
        port: stage.hub.ports.srt,
        latency: 120,
        'pb-key-len': 0,
      } as const;
      await output.change({ srt: { ...common, 'stream-id': 'nobody-has-it' } });
      await output.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
      await output.change({ srt: { ...common, 'stream-id': key } });
      await output.untilGood();
      await channel.input.untilGood();
    });

    test('a stream id that another sender uses, and a full listener', async () => {
      const { channel, key } = await stage.newKey();
      const first = publish(channel.push.srt);
      await channel.input.untilGood();
      const common = { mode: 'caller', host: '127.0.0.1', port: stage.hub.ports.srt, latency: 120 } as const;
      const output = await stage.studio.addOutput({ srt: { ...common, 'stream-id': key } });
      await output.until({ conn: 'refused', reason: 'streamRefused', state: 'failed' });
      await first.stop();
      await output.untilGood();
      const port = leasePort();
      await stage.studio.addOutput({
        srt: { mode: 'listener', host: '127.0.0.1', port, latency: 120, 'max-connections': 1 },
      });
      const isSrt = (client: { protocol: number }) => client.protocol === protocolBits.srt;
      const guest = run(['srt-live-transmit', '-q', `srt://127.0.0.1:${port}`, 'file://con']);
      await until(
        async () => (await stage.rig.view(stage.studio.id)).clients.list.some(isSrt),
        10_000,
        'the place is taken',
      );
      const input = await stage.rig.addInput({ srt: { mode: 'caller', host: '127.0.0.1', port, latency: 120 } });
      await input.until({ conn: 'refused', reason: 'refused', state: 'failed' });
      await guest.stop();
      await input.untilGood();
    });

    test('a peer that sends no transport stream', async () => {
      const port = leasePort();
      const noise = sendNoise(`srt://127.0.0.1:${port}?mode=listener`);
      const input = await stage.rig.addInput({ srt: { mode: 'caller', host: '127.0.0.1', port, latency: 120 } });
      await input.until({ conn: 'streamFailed', reason: 'noSync', state: 'failed' });
      noise.stop();
      publish(`srt://127.0.0.1:${port}?mode=listener&pkt_size=1316`);
      await input.untilGood(40_000);
    });
  });
}
