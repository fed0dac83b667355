/**
 * srt-live-transmit has one input and one output. One reader: SRT directly to SRT. Several: one process converts SRT to
 * multicast on the loopback interface, and one per reader converts that to SRT again.
 */

import { leasePort, leasePorts } from '../../support/ports.ts';
import { startChild } from '../child.ts';
import { processTree } from '../proc.ts';
import { type Relay, type Subject, srtLatencyMs } from './subject.ts';

const multicastGroup = '239.255.77.2';

export const srtLiveTransmit: Subject = {
  id: 'srt-live-transmit',
  label: 'srt-live-transmit',
  open: async (readers): Promise<Relay> => {
    const [input, group, output] = [leasePort(), leasePort(), leasePorts(readers)];
    const listen = (port: number): string => `srt://127.0.0.1:${port}?mode=listener&latency=${srtLatencyMs}`;
    const pairs: string[][] = [];
    if (readers === 1) {
      pairs.push([listen(input), listen(output)]);
    } else {
      pairs.push([listen(input), `udp://${multicastGroup}:${group}?adapter=127.0.0.1&ttl=0`]);
      const receive = `udp://${multicastGroup}:${group}?adapter=127.0.0.1&rcvbuf=4000000`;
      for (let i = 0; i < readers; i++) pairs.push([receive, listen(output + i)]);
    }
    const children = pairs.map((pair) => startChild('srt-live-transmit', ['srt-live-transmit', '-q', ...pair]));
    return {
      ingest: { url: `srt://127.0.0.1:${input}` },
      egress: { url: `srt://127.0.0.1:${output}`, portStep: 1 },
      processes: () => ({ 'srt-live-transmit': children.flatMap((child) => processTree(child.pid)) }),
      close: async () => {
        await Promise.all(children.map((child) => child.kill()));
      },
    };
  },
};
