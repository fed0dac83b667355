/** Transport streams and playlists that are pulled over HTTP. */
import { describe, test } from 'bun:test';
import { chattingServer, passOn, tlsGateTo, webServer } from '../fake-peers.ts';
import type { StatesStage } from './stage.ts';

export function httpPullStates(stage: StatesStage): void {
  describe.concurrent('HTTP and HLS pull', () => {
    test('a server that is closed, silent, pauses, or closes', async () => {
      const gate = await stage.gateTo(stage.hub.ports.hls);
      gate.close();
      const input = await stage.pullTs(gate.port);
      await input.until({ conn: 'tcpFailed', reason: 'refused', state: 'failed' });
      gate.mode = 'silent';
      await gate.open();
      await input.until({ conn: 'handshakeFailed', reason: 'timeout', state: 'failed' });
      gate.mode = 'pass';
      await input.untilGood();
      gate.freeze();
      await input.until({ conn: 'disconnected', reason: 'stalled', state: 'failed' });
      gate.thaw();
      await input.untilGood();
      gate.mode = 'closing';
      gate.cut('end');
      await input.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
      await input.until({ conn: 'handshakeFailed', reason: 'handshakeFailed', state: 'failed' });
      gate.mode = 'pass';
      await input.untilGood();
    });

    test('a server that refuses: with its status, for lack of authorization, for lack of the stream', async () => {
      let status = 503;
      const server = webServer((request) =>
        status === 200 ? passOn(request, stage.studio.play.ts) : new Response(null, { status }),
      );
      const input = await stage.pullTs(server.port);
      await input.until({ conn: 'refused', reason: 'refused', state: 'failed' });
      status = 404;
      await input.until({ conn: 'streamFailed', reason: 'streamRefused', state: 'failed' });
      status = 403;
      await input.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
      status = 200;
      await input.untilGood(40_000);
    });

    test('a server that sends no transport stream, or an unplayable playlist', async () => {
      let answer: (request: Request) => Response | Promise<Response> = () =>
        new Response(crypto.getRandomValues(new Uint8Array(65_536)).toBase64().repeat(8));
      const server = webServer((request) => answer(request));
      const input = await stage.pullTs(server.port);
      await input.until({ conn: 'streamFailed', reason: 'noSync', state: 'failed' });
      const master = [
        '#EXTM3U',
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",URI="sound.m3u8"',
        '#EXT-X-STREAM-INF:BANDWIDTH=1000000,AUDIO="a"',
        'picture.m3u8',
      ];
      answer = () => new Response(`${master.join('\n')}\n`);
      await input.until({ conn: 'streamFailed', reason: 'badInput', state: 'failed' });
      answer = (request) => passOn(request, stage.studio.play.ts);
      await input.untilGood(40_000);
    });

    test('a server that speaks another protocol, and one with a wrong certificate', async () => {
      const chatter = chattingServer();
      const input = await stage.pullTs(chatter.port);
      await input.until({ conn: 'handshakeFailed', reason: 'handshakeFailed', state: 'failed' });
      const gate = await tlsGateTo(stage.hub.ports.hls, stage.certificates);
      await gate.use('stranger');
      await input.change({ url: `https://127.0.0.1:${gate.port}/live/${stage.studio.playKey}.ts` });
      await input.until({ conn: 'handshakeFailed', reason: 'tlsFailed', state: 'failed' });
      await gate.use('server');
      await input.untilGood();
    });
  });
}
