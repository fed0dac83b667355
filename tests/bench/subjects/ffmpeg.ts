/**
 * FFmpeg in copy mode, in the two ways people fan a stream out with it:
 *
 * - one process with n outputs (cheapest; one dead output ends all of them);
 * - one process per output: an ingest process puts the stream on a multicast group of the loopback interface, and each
 *   output process reads it there. Multicast because it costs the ingest process one muxer and one send, whatever n is.
 */

import { isBound } from '../../support/bound-port.ts';
import { leasePort, leasePorts } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import { type Child, startChild } from '../child.ts';
import { startHub } from '../hub.ts';
import { processTree } from '../proc.ts';
import { openRtspServer } from './signalbox.ts';
import { type Relay, type Subject, srtLatencyMs } from './subject.ts';

type IngestKind = 'srt' | 'udp';

export const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'error'];
export const withoutDelay = ['-fflags', '+nobuffer', '-analyzeduration', '1000000', '-probesize', '1000000'];
export const toMpegts = ['-map', '0', '-c', 'copy', '-f', 'mpegts'];
const latency = `latency=${srtLatencyMs * 1000}`;
const multicastGroup = '239.255.77.1';
/** A full second of the stream while the process is not scheduled; the default is enough, the option keeps it explicit. */
const udpInput = 'fifo_size=50000&overrun_nonfatal=1&buffer_size=4000000';

function ingestUrl(kind: IngestKind, port: number): string {
  return kind === 'srt' ? `srt://127.0.0.1:${port}?mode=listener&${latency}` : `udp://127.0.0.1:${port}?${udpInput}`;
}

function relayOf(children: readonly Child[], ingest: Relay['ingest'], egress: Relay['egress']): Relay {
  return {
    ingest,
    egress,
    processes: () => ({ ffmpeg: children.flatMap((child) => processTree(child.pid)) }),
    close: async () => {
      await Promise.all(children.map((child) => child.kill()));
    },
  };
}

export function ffmpegOneProcess(ingest: IngestKind): Subject {
  return {
    id: 'ffmpeg-one',
    label: 'one FFmpeg, n outputs',
    open: async (readers): Promise<Relay> => {
      const [input, output] = [leasePort(), leasePorts(readers)];
      const outputs = Array.from({ length: readers }, (_, i) => [
        ...toMpegts,
        `udp://127.0.0.1:${output + i}?pkt_size=1316`,
      ]);
      const argv = ['ffmpeg', ...quiet, ...withoutDelay, '-i', ingestUrl(ingest, input), ...outputs.flat()];
      const child = startChild('ffmpeg', argv);
      return relayOf([child], { url: `${ingest}://127.0.0.1:${input}` }, { url: `udp://127.0.0.1:${output}` });
    },
  };
}

export function ffmpegPerOutput(): Subject {
  return {
    id: 'ffmpeg-per-output',
    label: 'one FFmpeg per output',
    open: async (readers): Promise<Relay> => {
      const [input, group, output] = [leasePort(), leasePort(), leasePorts(readers)];
      const send = `udp://${multicastGroup}:${group}?pkt_size=1316&localaddr=127.0.0.1&ttl=0`;
      const receive = `udp://${multicastGroup}:${group}?localaddr=127.0.0.1&reuse=1&${udpInput}`;
      const ingest = ['ffmpeg', ...quiet, ...withoutDelay, '-i', ingestUrl('srt', input), ...toMpegts, send];
      const children = [startChild('ffmpeg ingest', ingest)];
      for (let i = 0; i < readers; i++) {
        const to = `srt://127.0.0.1:${output + i}?mode=listener&${latency}&pkt_size=1316`;
        children.push(
          startChild(`ffmpeg output ${i}`, ['ffmpeg', ...quiet, ...withoutDelay, '-i', receive, ...toMpegts, to]),
        );
      }
      const egress = { url: `srt://127.0.0.1:${output}`, portStep: 1 };
      return relayOf(children, { url: `srt://127.0.0.1:${input}` }, egress);
    },
  };
}

/** The RTSP server of a hub in, SRT out. The hub's processes are not counted. */
export const ffmpegOverRtsp: Subject = {
  id: 'ffmpeg-rtsp',
  label: 'one FFmpeg for the second channel',
  open: async (): Promise<Relay> => {
    const hub = await startHub();
    const { ingest, url } = await openRtspServer(hub);
    const output = leasePort();
    const input = ['-rtsp_transport', 'tcp', '-i', url];
    const to = `srt://127.0.0.1:${output}?mode=listener&${latency}&pkt_size=1316`;
    const child = startChild('ffmpeg', ['ffmpeg', ...quiet, ...withoutDelay, ...input, ...toMpegts, to]);
    const relay = relayOf([child], ingest, { url: `srt://127.0.0.1:${output}`, portStep: 1 });
    return {
      ...relay,
      close: async () => {
        await relay.close();
        await hub.stop();
      },
    };
  },
};

/** RTMP in, SRT out: one process that listens on both sides. */
export const ffmpegAcross: Subject = {
  id: 'ffmpeg-across',
  label: 'one FFmpeg',
  open: async (): Promise<Relay> => {
    const [input, output] = [leasePort(), leasePort()];
    const url = `rtmp://127.0.0.1:${input}/live/bench`;
    const to = `srt://127.0.0.1:${output}?mode=listener&${latency}&pkt_size=1316`;
    const child = startChild('ffmpeg', [
      'ffmpeg',
      ...quiet,
      ...withoutDelay,
      '-listen',
      '1',
      '-i',
      url,
      ...toMpegts,
      to,
    ]);
    // A trial connection would use up the only one that it accepts.
    await until(() => isBound('tcp', input), 10_000, `FFmpeg listens on port ${input}`);
    return relayOf([child], { url }, { url: `srt://127.0.0.1:${output}`, portStep: 1 });
  },
};
