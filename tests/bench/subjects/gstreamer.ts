/** GStreamer, which forwards the received bytes unchanged to n readers. */

import { leasePort, leasePorts } from '../../support/ports.ts';
import { startChild } from '../child.ts';
import { processTree } from '../proc.ts';
import { type Relay, type Subject, srtLatencyMs } from './subject.ts';

const program = 'gst-launch-1.0';

function relayOf(pipeline: readonly string[], ingest: Relay['ingest'], egress: Relay['egress']): Promise<Relay> {
  const child = startChild('gstreamer', [program, '-q', ...pipeline]);
  return Promise.resolve({
    ingest,
    egress,
    processes: () => ({ gstreamer: processTree(child.pid) }),
    close: () => child.kill(),
  });
}

/** One process: `udpsrc ! multiudpsink`. */
export const gstreamerUdp: Subject = {
  id: 'gstreamer',
  label: 'GStreamer multiudpsink',
  open: async (readers) => {
    const [input, output] = [leasePort(), leasePorts(readers)];
    const clients = Array.from({ length: readers }, (_, i) => `127.0.0.1:${output + i}`).join(',');
    const source = ['udpsrc', 'address=127.0.0.1', `port=${input}`, 'buffer-size=4000000'];
    const sink = ['multiudpsink', 'sync=false', `clients=${clients}`];
    return relayOf(
      [...source, '!', ...sink],
      { url: `udp://127.0.0.1:${input}` },
      { url: `udp://127.0.0.1:${output}` },
    );
  },
};

/** One process with one listener that all clients call. */
export const gstreamerSrt: Subject = {
  id: 'gstreamer',
  label: 'GStreamer srtsink',
  open: async () => {
    const [input, output] = [leasePort(), leasePort()];
    const listen = (port: number): string => `uri=srt://127.0.0.1:${port}?mode=listener&latency=${srtLatencyMs}`;
    const sink = ['srtsink', listen(output), 'wait-for-connection=false', 'sync=false'];
    return relayOf(
      ['srtsrc', listen(input), '!', ...sink],
      { url: `srt://127.0.0.1:${input}` },
      { url: `srt://127.0.0.1:${output}` },
    );
  },
};
