/** RTMP inputs that the engine pulls from itself, FFmpeg and nginx-rtmp. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectionStates } from '../../daemon/contract/streams.ts';
import type { RtmpStream } from '../../daemon/sources/stream-address.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { picture, publish, run } from './live-media.ts';
import { openPullRig, playTo } from './pull-rig.ts';

setDefaultTimeout(90_000);

const rig = openPullRig('pull-rtmp');

const rtmp = (url: string, key: string, rest: Partial<RtmpStream> = {}): RtmpStream => ({
  protocol: 'rtmp',
  url,
  key,
  username: '',
  password: '',
  ...rest,
});

test.concurrent('is pulled from another channel, and again when its publisher returns', async () => {
  const source = rig.addChannel({ protocol: 'push' });
  const first = publish(source.push);
  await rig.untilLive(source.id);
  const pulled = rig.addChannel(rtmp(`rtmp://127.0.0.1:${rig.rtmpPort}/live`, `play-${source.id}`));
  await rig.untilLive(pulled.id);
  expect(rig.inputOf(pulled.id)).toMatchObject({
    protocol: 'rtmp',
    peer: `127.0.0.1:${rig.rtmpPort}`,
    media: { container: 'flv', video: { codec: 'h264', width: picture.width }, audio: { codec: 'aac' } },
  });
  await rig.expectPlays(pulled.play, 'rtmp-own');
  await first.stop();
  await rig.untilConn(pulled.id, connectionStates.waitingForData);
  publish(source.push);
  await rig.untilLive(pulled.id);
});

test.concurrent('is buffered for the configured time, and plays without gaps', async () => {
  const source = rig.addChannel({ protocol: 'push' });
  publish(source.push);
  await rig.untilLive(source.id);
  const url = `rtmp://127.0.0.1:${rig.rtmpPort}/live`;
  const held = rig.addChannel(rtmp(url, `play-${source.id}`, { bufferMs: 800 }));
  await rig.untilLive(held.id);
  await until(() => (rig.inputOf(held.id)?.quality?.bufferMs ?? 0) > 300, 20_000, 'the stream is buffered');
  await rig.expectPlays(held.play, 'rtmp-held');
  expect(rig.inputOf(held.id)?.quality?.bufferMs).toBeLessThan(1000);
});

test.concurrent('is pulled from FFmpeg as a server', async () => {
  const base = leasePort();
  playTo('-f', 'flv', '-listen', '1', `rtmp://127.0.0.1:${base}/app/name`);
  const pulled = rig.addChannel(rtmp(`rtmp://127.0.0.1:${base}/app`, 'name'));
  await rig.untilLive(pulled.id);
  await rig.expectPlays(pulled.play, 'rtmp-ffmpeg');
});

const rtmpModule = '/usr/lib/nginx/modules/ngx_rtmp_module.so';
test.concurrent.skipIf(!existsSync('/usr/sbin/nginx') || !existsSync(rtmpModule))(
  'is pulled from nginx-rtmp, and again after nginx-rtmp restarts',
  async () => {
    const base = leasePort();
    const home = join(rig.folder, 'nginx');
    mkdirSync(home);
    const server = `rtmp { access_log off; server { listen 127.0.0.1:${base}; application app { live on; } } }`;
    const top = `load_module ${rtmpModule}; daemon off; pid ${home}/pid; error_log ${home}/log; events {}`;
    writeFileSync(join(home, 'conf'), `${top}\n${server}\n`);
    const serve = () => run(['/usr/sbin/nginx', '-p', home, '-e', `${home}/log`, '-c', `${home}/conf`]);
    const url = `rtmp://127.0.0.1:${base}/app`;
    const feed = async () => {
      const nginx = serve();
      await until(() => existsSync(join(home, 'pid')) && readFileSync(join(home, 'pid')).length > 0, 20_000, 'nginx');
      return { nginx, encoder: publish(`${url}/name`) };
    };
    const { nginx, encoder } = await feed();
    const pulled = rig.addChannel(rtmp(url, 'name'));
    await rig.untilLive(pulled.id);
    await rig.expectPlays(pulled.play, 'rtmp-nginx');
    await Promise.all([nginx.stop(), encoder.stop()]);
    await until(() => rig.inputOf(pulled.id)?.reason === 'refused', 20_000, 'the pull is refused');
    expect(rig.inputOf(pulled.id)).toMatchObject({ conn: connectionStates.tcpFailed });
    await feed();
    await rig.untilLive(pulled.id, 40_000);
  },
);

test.concurrent('reports why it cannot be pulled', async () => {
  const missing = rig.addChannel(rtmp(`rtmp://127.0.0.1:${rig.rtmpPort}/live`, 'no-such-key'));
  const nowhere = rig.addChannel(rtmp('rtmp://name.invalid/live', 'key'));
  const wrongApp = rig.addChannel(rtmp(`rtmp://127.0.0.1:${rig.rtmpPort}/else`, 'key'));
  const text = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('no RTMP') });
  const web = rig.addChannel(rtmp(`rtmp://127.0.0.1:${text.port}/live`, 'key'));
  await rig.untilConn(missing.id, connectionStates.streamFailed);
  await rig.untilConn(nowhere.id, connectionStates.dnsFailed);
  await rig.untilConn(wrongApp.id, connectionStates.refused);
  await rig.untilConn(web.id, connectionStates.handshakeFailed);
  await text.stop(true);
});
