/** Channels with RTMP input and four outputs each: RTMP, SRT, UDP and HLS. */
import { chmodSync } from 'node:fs';
import { leasePort, leasePorts } from '../../support/ports.ts';
import { type Child, startChild } from '../child.ts';
import type { BenchHub } from '../hub.ts';
import { processTree } from '../proc.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { quiet, toMpegts } from './ffmpeg.ts';
import { hlsBlocks, memoryFolder, openNginx, rtmpBlock } from './nginx-rtmp.ts';
import { openChannel } from './signalbox.ts';
import { type MixedRelay, type MixedSubject, srtLatencyMs } from './subject.ts';

export function signalboxMixed(hub: BenchHub): MixedSubject {
  return {
    id: 'signalbox',
    label: 'Signalbox',
    open: async (count): Promise<MixedRelay> => {
      const udp = leasePorts(count);
      const channels: Awaited<ReturnType<typeof openChannel>>[] = [];
      for (let i = 0; i < count; i++) channels.push(await openChannel(hub, [`udp://127.0.0.1:${udp + i}`]));
      const first = channels[0]?.number ?? 0;
      const { rtmp, srt, hls } = hub.ports;
      return {
        ingests: channels.map(({ push }) => ({ url: `rtmp://127.0.0.1:${rtmp}/live/${push}` })),
        egresses: [
          { kind: 'UDP', url: `udp://127.0.0.1:${udp}` },
          { kind: 'RTMP', url: `rtmp://127.0.0.1:${rtmp}/live/bench-play-{}`, first },
          { kind: 'SRT', url: `srt://127.0.0.1:${srt}`, streamId: 'bench-play-{}', first },
          { kind: 'HLS', url: `hls://127.0.0.1:${hls}/live/bench-play-{}/index.m3u8`, first },
        ],
        processes: () => hub.processes(),
        close: async () => {
          for (const channel of channels) await channel.close();
        },
      };
    },
  };
}

/** More than a GOP: with less, a player finds no video in nginx's stream. */
const probe = ['-fflags', '+nobuffer', '-analyzeduration', '4000000', '-probesize', '5000000'];

/** nginx receives all channels and serves RTMP and HLS; an FFmpeg per channel plays it there and sends SRT and UDP. */
export const nginxAndFfmpegMixed: MixedSubject = {
  id: 'nginx-and-ffmpeg',
  label: 'nginx-rtmp and one FFmpeg per channel',
  open: async (count): Promise<MixedRelay> => {
    const folder = makeTempFolder('nginx', memoryFolder);
    chmodSync(folder, 0o777);
    const [port, http] = [leasePort(), leasePort()];
    const [udp, srt] = [leasePorts(count), leasePorts(count)];
    const at = `rtmp://127.0.0.1:${port}/live/bench-`;
    const { hls, server } = hlsBlocks(folder, http);
    const nginx = await openNginx(folder, port, `${rtmpBlock(port, hls)}${server}`);
    const numbers = Array.from({ length: count }, (_, i) => i);
    const ffmpegs: Child[] = [];
    const startFfmpeg = (i: number): Child => {
      const play = ['ffmpeg', ...quiet, ...probe, '-rtmp_live', 'live', '-i', `${at}${i}`];
      const toUdp = [...toMpegts, `udp://127.0.0.1:${udp + i}?pkt_size=1316`];
      const toSrt = [
        ...toMpegts,
        `srt://127.0.0.1:${srt + i}?mode=listener&latency=${srtLatencyMs * 1000}&pkt_size=1316`,
      ];
      return startChild(`ffmpeg ${i}`, [...play, ...toUdp, ...toSrt]);
    };
    return {
      ingests: numbers.map((i) => ({ url: `${at}${i}` })),
      egresses: [
        { kind: 'UDP', url: `udp://127.0.0.1:${udp}` },
        { kind: 'RTMP', url: `${at}{}`, first: 0 },
        { kind: 'SRT', url: `srt://127.0.0.1:${srt}`, portStep: 1 },
        { kind: 'HLS', url: `hls://127.0.0.1:${http}/bench-{}.m3u8`, first: 0 },
      ],
      // Like nginx's own `exec_push`: an FFmpeg that plays before there is a stream finds no video in it.
      begin: () => void ffmpegs.push(...numbers.map(startFfmpeg)),
      processes: () => ({ ...nginx.processes(), ffmpeg: ffmpegs.flatMap(({ pid }) => processTree(pid)) }),
      close: async () => {
        await Promise.all(ffmpegs.map((ffmpeg) => ffmpeg.kill()));
        await nginx.close();
      },
    };
  },
};
