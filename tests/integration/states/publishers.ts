/** Channels that are off, and publishers that connect, stall and leave. */
import { describe, test } from 'bun:test';
import { sendNoise } from '../fake-peers.ts';
import { publish } from '../live-media.ts';
import { rtmpOf, type StatesStage } from './stage.ts';

export function publisherStates(stage: StatesStage): void {
  describe.concurrent('switched off, and without a source', () => {
    test('a channel that is off: waiting, switched off; on: waiting for a publisher', async () => {
      const channel = await stage.rig.addChannel(false);
      await channel.input.until({ conn: 'waiting', reason: 'switchedOff', state: 'offline' });
      const output = await channel.addOutput(rtmpOf(stage.hub.ports.rtmp, 'nobody'));
      await output.until({ conn: 'waiting', reason: 'switchedOff', state: 'offline' });
      await stage.hub.api('/api/channel/enable', { id: channel.id, enable: true });
      await channel.input.until({ conn: 'waiting', reason: 'noInput', state: 'offline' });
      await output.until({ conn: 'waiting', reason: 'noInput', state: 'offline' });
      await stage.hub.api('/api/channel/output/enable', { id: channel.id, output: output.id, enable: false });
      await output.until({ conn: 'waiting', reason: 'switchedOff' });
    });

    test('a publisher that pauses: waiting for data, then disconnected as stalled; back: good', async () => {
      const channel = await stage.rig.addChannel();
      const first = publish(channel.push.rtmp);
      await channel.input.until({ conn: 'connected', reason: undefined, state: 'running' });
      first.child.kill('SIGSTOP');
      await channel.input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
      await channel.input.until({ conn: 'waiting', reason: 'stalled', state: 'offline' });
      first.child.kill('SIGKILL');
      const second = publish(channel.push.srt);
      await channel.input.untilGood();
      await second.stop();
      await channel.input.until({ conn: 'waiting', reason: 'closedByPeer', state: 'offline' });
      const noise = sendNoise(`srt://127.0.0.1:${stage.hub.ports.srt}?mode=caller&streamid=${channel.pushKey}`);
      await channel.input.until({ conn: 'waiting', reason: 'noSync', state: 'offline' });
      noise.stop();
      publish(channel.push.srt);
      await channel.input.untilGood();
    });
  });
}
