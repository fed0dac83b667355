/**
 * `make fuzz-live`: sends mutated input to every port of a running hub and lets it fetch mutated answers, while a healthy
 * stream passes by RTMP and another one by SRT. Prints the longest gap of each, beside that under the same load of valid
 * input. Exits with 1 if a process of the hub ended.
 */

import { startHub } from '../integration/hub-process.ts';
import { killAll, publish } from '../integration/live-media.ts';
import { RelayRig } from '../integration/relay-rig.ts';
import { leasePort } from '../support/ports.ts';
import type { LiveServers, LiveTargets } from './live-attacker.ts';
import { srtKeys } from './targets/srt-endpoint.ts';

const { SEED = '', MINUTES = '' } = process.env;
const seed = SEED === '' ? crypto.getRandomValues(new Uint32Array(1))[0]! : Number(SEED);
const phaseMs = (MINUTES === '' ? 2 : Number(MINUTES)) * 60_000;

/** The longest time between two chunks since the last question. */
function watchGaps(stream: ReadableStream<Uint8Array>): () => number {
  let longest = 0;
  let seenAt = performance.now();
  const reading = (async () => {
    for await (const _ of stream) {
      const now = performance.now();
      longest = Math.max(longest, now - seenAt);
      seenAt = now;
    }
  })();
  // The hub ends the stream at the end of the run.
  reading.catch(() => {});
  return () => {
    const seen = Math.max(longest, performance.now() - seenAt);
    longest = 0;
    return seen;
  };
}

const hub = await startHub({});
let code = 0;
try {
  await hub.login();
  const rig = new RelayRig(hub);
  const [byRtmp, bySrt] = [await rig.addChannel(), await rig.addChannel()];
  publish(byRtmp.push.rtmp);
  publish(bySrt.push.srt);
  await Promise.all([byRtmp.untilLive(), bySrt.untilLive()]);
  const http = await fetch(byRtmp.play.ts);
  // This program takes the latency in milliseconds.
  const srtUrl = `srt://127.0.0.1:${hub.ports.srt}?streamid=${bySrt.playKey}&latency=120`;
  const player = Bun.spawn(['srt-live-transmit', '-a:no', '-loglevel:fatal', srtUrl, 'file://con'], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  if (http.body === null) throw new Error('no stream');
  const gaps = { rtmp: watchGaps(http.body), srt: watchGaps(player.stdout) };

  const config = { 'push-key': srtKeys.push, 'play-key': srtKeys.play };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: 'Attacked', config });
  const [udp, rtsp] = [leasePort(), leasePort()];
  await rig.addInput({ udp: { host: '127.0.0.1', port: udp } });
  const { id: output } = await hub.api<{ id: number }>('/api/output/add', {
    ...{ name: 'Attacked', channel: byRtmp.id },
    config: { url: `rtsp://0.0.0.0:${rtsp}/stage-fuzz` },
  });
  await hub.api('/api/channel/output/enable', { id: byRtmp.id, output, enable: true });

  const attacker = new Worker(new URL('live-attacker.ts', import.meta.url).href);
  const servers = await new Promise<LiveServers>((resolve) => {
    attacker.onmessage = ({ data }) => resolve(data);
  });
  await rig.addInput({ url: `http://127.0.0.1:${servers.playlist}/live.m3u8` });
  await rig.addInput({ url: `rtsp://127.0.0.1:${servers.rtsp}/live` });

  const pids = async () => [await hub.enginePid(), await hub.endpointPid('srt'), await hub.endpointPid('udp')].join();
  const before = await pids();
  console.log(`seed ${seed}, ${phaseMs / 60_000} min each, attacked channel ${id}`);
  for (const isMutated of [false, true]) {
    const { rtmp, srt, hls } = hub.ports;
    attacker.postMessage({ ports: { rtmp, srt, hls, rtsp, udp }, seed, isMutated } satisfies LiveTargets);
    await Bun.sleep(2000);
    gaps.rtmp();
    gaps.srt();
    await Bun.sleep(phaseMs);
    const shown = `RTMP ${gaps.rtmp().toFixed(0)} ms, SRT ${gaps.srt().toFixed(0)} ms`;
    console.log(`${isMutated ? 'mutated' : 'valid'} input: longest gap ${shown}`);
  }
  if ((await pids()) !== before) {
    console.error('a process of the hub ended');
    code = 1;
  }
  player.kill('SIGKILL');
} finally {
  await killAll();
  await hub.stop();
}
process.exit(code);
