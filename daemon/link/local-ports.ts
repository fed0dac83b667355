/** The device's end: connects streams with TCP ports of the device, of which only those on a list may be reached. */
import type { Timing } from '../timing.ts';
import type { LinkStream } from './link-stream.ts';
import type { OpenRequest } from './payloads.ts';
import { createSplice, joinSocket, over, type Splice, spliceHandlers } from './splice.ts';

export interface PortPlace {
  /** Name or address. */
  readonly hostname: string;
  readonly port: number;
}

export const onThisMachine = (port: number): PortPlace => ({ hostname: '127.0.0.1', port });

export interface LocalPortsOptions {
  /** Whether the port may be reached; asked for each stream. */
  readonly allows: (port: number) => boolean;
  readonly placeOf: (port: number) => PortPlace;
  readonly timing: Pick<Timing['link'], 'portConnectMs'>;
}

/** Returns the function that takes each stream the hub opens. */
export function createLocalPorts({ allows, placeOf, timing }: LocalPortsOptions) {
  return (stream: LinkStream, { kind, port }: OpenRequest): void => {
    if (kind !== 'tcp' || port === undefined || !allows(port)) {
      stream.reset('notPermitted');
      return;
    }
    const splice = createSplice(stream);
    const timer = setTimeout(() => over(splice, 'timedOut'), timing.portConnectMs);
    Bun.connect<Splice | undefined>({
      ...placeOf(port),
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
