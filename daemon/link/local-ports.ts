/** The device's end: connects streams with TCP ports of the device, of which only those on a list may be reached. */
import type { Timing } from '../timing.ts';
import type { LinkStream } from './link-stream.ts';
import type { OpenRequest } from './payloads.ts';
import { createSplice, joinSocket, over, type Splice, spliceHandlers } from './splice.ts';

export type PortPlace =
  | {
      /** Name or address. */
      readonly hostname: string;
      readonly port: number;
    }
  /** Whatever is not a TCP connection takes the stream over. */
  | { readonly carry: (stream: LinkStream) => void };

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
    const place = placeOf(port);
    if ('carry' in place) {
      place.carry(stream);
      return;
    }
    const splice = createSplice(stream);
    const timer = setTimeout(() => over(splice, 'timedOut'), timing.portConnectMs);
    Bun.connect<Splice | undefined>({
      ...place,
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
