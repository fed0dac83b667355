/** Without a relay: the latency of the protocol and of the measurement. */

import { leasePort } from '../../support/ports.ts';
import type { Relay, Subject } from './subject.ts';

export function direct(protocol: 'srt' | 'udp'): Subject {
  return {
    id: `direct-${protocol}`,
    label: `direct ${protocol.toUpperCase()}`,
    open: async (): Promise<Relay> => {
      const port = leasePort();
      const at = `127.0.0.1:${port}`;
      return {
        ingest: { url: `${protocol}://${at}` },
        egress: { url: protocol === 'srt' ? `srt-listener://${at}` : `udp://${at}` },
        processes: () => ({}),
        close: async () => {},
      };
    },
  };
}
