/** Pushes to and pulls from RTMP servers. */
import { describe, expect, test } from 'bun:test';
import { askingServer, tlsGateTo } from '../fake-peers.ts';
import { publish } from '../live-media.ts';
import { rtmpOf, type StatesStage } from './stage.ts';

export function rtmpStates(stage: StatesStage): void {
  describe.concurrent('RTMP push', () => {
    test('a closed port, and a server that starts and stops', async () => {
      const { key } = await stage.newKey();
      const gate = await stage.gateTo(stage.hub.ports.rtmp);
      gate.close();
      const output = await stage.pushTo(gate.port, key);
      await output.until({ conn: 'tcpFailed', reason: 'refused', state: 'failed' });
      await gate.open();
      await output.untilGood();
      gate.mode = 'closing';
      gate.cut('end');
      await output.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
      await output.until({ conn: 'handshakeFailed', reason: 'handshakeFailed', state: 'failed' });
      gate.mode = 'pass';
      await output.untilGood();
      gate.cut('reset');
      await output.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
      await output.untilGood();
    });

    test('a server that accepts the connection and is silent', async () => {
      const { key } = await stage.newKey();
      const gate = await stage.gateTo(stage.hub.ports.rtmp, 'silent');
      const output = await stage.pushTo(gate.port, key);
      await output.until({ conn: 'connecting', reason: undefined, state: 'initializing' });
      await output.until({ conn: 'handshakeFailed', reason: 'timeout', state: 'failed' });
      gate.mode = 'pass';
      await output.untilGood();
    });

    test('a missing application, and an unknown stream key', async () => {
      const { channel, key } = await stage.newKey();
      const output = await stage.pushTo(stage.hub.ports.rtmp, 'nobody-has-it', 'else');
      await output.until({ conn: 'refused', reason: 'refused', state: 'failed' });
      await output.change(rtmpOf(stage.hub.ports.rtmp, 'nobody-has-it'));
      await output.until({ conn: 'streamFailed', reason: 'streamRefused', state: 'failed' });
      await output.change(rtmpOf(stage.hub.ports.rtmp, key));
      await output.untilGood();
      await channel.input.untilGood();
    });

    test('a wrong user name and password', async () => {
      const server = askingServer('right');
      const account = (password: string) => ({
        ...rtmpOf(server.port, 'any'),
        ...{ 'enable-auth': true, username: 'me', password },
      });
      const output = await stage.studio.addOutput(account('wrong'));
      await output.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
      await output.change(account('right'));
      await output.untilGood();
      expect(stage.hub.logs()).not.toContain('right@');
    });

    test('an untrusted certificate', async () => {
      const { key } = await stage.newKey();
      const gate = await tlsGateTo(stage.hub.ports.rtmp, stage.certificates);
      await gate.use('stranger');
      const output = await stage.studio.addOutput({ url: `rtmps://127.0.0.1:${gate.port}/live`, key });
      await output.until({ conn: 'handshakeFailed', reason: 'tlsFailed', state: 'failed' });
      await gate.use('server');
      await output.untilGood();
    });

    test('a codec that RTMP does not support', async () => {
      const channel = await stage.rig.addChannel();
      const { key } = await stage.newKey();
      const pictures = { size: '320x180', kbps: 400 } as const;
      const first = publish(channel.push.srt, { pictures, sound: { codec: 'ac3' } });
      const output = await channel.addOutput(rtmpOf(stage.hub.ports.rtmp, key));
      await output.until({ conn: 'connected', reason: 'soundLeftOut', state: 'running' });
      await first.stop();
      // A second publisher is refused while the endpoint still reads what the first one sent.
      await channel.input.until({ conn: 'waiting', reason: 'closedByPeer' });
      const second = publish(channel.push.srt, { sound: { codec: 'ac3' } });
      await output.until({ conn: 'streamFailed', reason: 'codecNotPossible', state: 'unsupported' });
      expect((await stage.rig.view(channel.id)).state).toBe('live');
      await second.stop();
      await channel.input.until({ conn: 'waiting', reason: 'closedByPeer' });
      publish(channel.push.srt, { pictures, sound: {} });
      await output.untilGood(40_000);
    });
  });

  describe.concurrent('RTMP pull', () => {
    test('a server that is silent, stops sending, or closes', async () => {
      const gate = await stage.gateTo(stage.hub.ports.rtmp, 'silent');
      const input = await stage.pullFrom(gate.port);
      await input.until({ conn: 'handshakeFailed', reason: 'timeout', state: 'failed' });
      gate.mode = 'pass';
      await input.untilGood();
      gate.freeze();
      await input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
      await input.until({ conn: 'disconnected', reason: 'stalled', state: 'failed' });
      gate.thaw();
      await input.untilGood();
      gate.cut('reset');
      await input.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
      await input.untilGood();
      gate.close();
      await input.until({ conn: 'tcpFailed', reason: 'refused', state: 'failed' });
      await gate.open();
      await input.untilGood();
    });

    test('a missing application and a missing stream, and a stream without publisher', async () => {
      const empty = await stage.rig.addChannel();
      const input = await stage.pullFrom(stage.hub.ports.rtmp, 'nobody-has-it', 'else');
      await input.until({ conn: 'refused', reason: 'refused', state: 'failed' });
      await input.change(rtmpOf(stage.hub.ports.rtmp, 'nobody-has-it'));
      await input.until({ conn: 'streamFailed', reason: 'streamRefused', state: 'failed' });
      await input.change(rtmpOf(stage.hub.ports.rtmp, empty.playKey));
      await input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
      publish(empty.push.rtmp);
      await input.untilGood();
    });

    test('a server that requires a password, and one with a wrong certificate', async () => {
      const server = askingServer('right');
      const account = { 'enable-auth': true, username: 'me', password: 'wrong' };
      const input = await stage.rig.addInput({ ...rtmpOf(server.port, 'any'), ...account });
      await input.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
      const gate = await tlsGateTo(stage.hub.ports.rtmp, stage.certificates);
      await gate.use('stranger');
      await input.change({
        url: `rtmps://127.0.0.1:${gate.port}/live`,
        key: stage.studio.playKey,
        'enable-auth': false,
      });
      await input.until({ conn: 'handshakeFailed', reason: 'tlsFailed', state: 'failed' });
      await gate.use('server');
      await input.untilGood();
    });
  });
}
