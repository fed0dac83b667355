/** The device's end: connects streams with its own TCP ports, of which only those on a list may be reached. */
import type { Timing } from '../timing.ts';
import type { LinkStream } from './link-stream.ts';
import type { OpenRequest } from './payloads.ts';
import { createSplice, joinSocket, over, type Splice, spliceHandlers } from './splice.ts';

export interface LocalPortsOptions {
  /** Whether the port may be reached; asked for each stream. */
  readonly allows: (port: number) => boolean;
  /** Address of the device's own services. */
  readonly host: string;
  readonly timing: Pick<Timing['link'], 'portConnectMs'>;
}

/** Returns the function that takes each stream the hub opens. */
export function createLocalPorts({ allows, host, timing }: LocalPortsOptions) {
  return (stream: LinkStream, { kind, port }: OpenRequest): void => {
    if (kind !== 'tcp' || port === undefined || !allows(port)) {
      stream.reset('notPermitted');
      return;
    }
    const splice = createSplice(stream);
    const timer = setTimeout(() => over(splice, 'timedOut'), timing.portConnectMs);
    Bun.connect<Splice | undefined>({
      hostname: host,
      port,
      data: splice,
      allowHalfOpen: true,
      socket: {
        ...spliceHandlers,
        open(socket) {
          clearTimeout(timer);
          joinSocket(splice, socket);
        },
      },
    }).catch(() => {
      clearTimeout(timer);
      over(splice, 'refused');
    });
  };
}
