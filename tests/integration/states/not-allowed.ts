/** Addresses that the hub may not connect to. */
import { describe, test } from 'bun:test';
import { rtmpOf, type StatesStage } from './stage.ts';

export function notAllowedStates(stage: StatesStage): void {
  describe.concurrent('an address that is not allowed', () => {
    const refused = { conn: 'creationFailed', reason: 'addressNotAllowed', state: 'failed' } as const;
    const host = '169.254.169.254';
    const srt = { srt: { mode: 'caller', host, port: 9000, latency: 120 } };

    test('ends outputs of every protocol in the same way, until their address is changed', async () => {
      const { channel, key } = await stage.newKey();
      const rtmp = await stage.studio.addOutput({ url: `rtmp://${host}/live`, key: 'any' });
      const others = [srt, { url: `udp://${host}:9000` }, { url: `rtp://${host}:9000` }];
      const outputs = [rtmp, ...(await Promise.all(others.map((config) => stage.studio.addOutput(config))))];
      await Promise.all(outputs.map((output) => output.until(refused)));
      await rtmp.change(rtmpOf(stage.hub.ports.rtmp, key));
      await rtmp.untilGood();
      await channel.input.untilGood();
    });

    test('ends inputs of every protocol in the same way, also at a port of the hub itself', async () => {
      const urls = [
        ...[`rtmp://${host}/live/any`, `rtsp://${host}/any`, `http://${host}/latest/meta-data`],
        ...[`${stage.hub.url}/metrics`, `${stage.hub.url.replace('http:', 'rtsp:')}/metrics`],
      ];
      const configs = [srt, ...urls.map((url) => ({ url }))];
      const inputs = await Promise.all(configs.map((config) => stage.rig.addInput({ type: 1, ...config })));
      await Promise.all(inputs.map((input) => input.until(refused)));
    });
  });
}
