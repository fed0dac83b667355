/** Port forwards: ports of the hub that lead to ports of devices. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { DeviceSn } from './device-fields.ts';
import { endpoints } from './endpoint.ts';
import { ForwardFields } from './forward-fields.ts';
import { forwardReasons, forwardStates } from './forward-states.ts';
import { limits } from './limits.ts';
import { coded, Ids, listOf, Paging, Port, Revised, Revision } from './rules.ts';

export const Forward = z.object({
  id: z.int(),
  revision: z.int(),
  /** Serial number of the device. */
  sn: z.string(),
  /** Name of the device. */
  'device-name': z.string(),
  ...ForwardFields,
  /** Whether it is started, also if it waits for the device or its port. */
  started: z.boolean(),
  state: coded(forwardStates),
  reason: z.optional(z.enum(forwardReasons)),
  /** The port of the hub that is open; 0: none. */
  port: z.int(),
  /** Since when it has been in this state, in milliseconds since 1970. */
  since: z.int(),
  /** Name of the user who started it last; empty for none. */
  'started-by': z.string(),
  /** Open connections. */
  connections: z.int(),
  /** Connections since it was started, with those that failed. */
  'total-connections': z.int(),
  /** Bytes from the device since it was started. */
  'rx-bytes': z.int(),
  /** Bytes to the device. */
  'tx-bytes': z.int(),
});
export type Forward = z.infer<typeof Forward>;

const Id = z.int('number');
/** Those of one device beyond the usual ones. */
const Ports = z.array(Port).check(z.maxLength(limits.forwards.ports, 'tooLong'));

export const forwardApi = endpoints(calls.forwards, {
  list: {
    summary: 'List the port forwards of devices that the caller sees, in order of creation.',
    needs: 'devices',
    query: z.object({
      ...Paging,
      /** Only those of this device. */
      sn: z.optional(DeviceSn),
    }),
    response: listOf(Forward),
  },
  options: {
    summary: 'Get which ports of a device may be forwarded, and where a forward can listen.',
    needs: 'devices',
    query: z.object({ sn: DeviceSn }),
    response: z.object({
      /** Of every device. */
      'usual-ports': z.array(z.int()),
      /** Those added for this device. */
      ports: z.array(z.int()),
      /** Addresses of the hub, loopback first. */
      addresses: z.array(
        z.object({
          address: z.string(),
          /** Name of the network interface. */
          link: z.string(),
        }),
      ),
      /** Ports that the hub needs itself. */
      'own-ports': z.array(z.int()),
    }),
  },
  add: {
    summary: 'Add a port forward, and start it if asked to. Returns its id, and the port of the hub if it is started.',
    needs: 'devices',
    body: z.object({
      sn: DeviceSn,
      ...ForwardFields,
      name: z.optional(ForwardFields.name),
      /** Default: 0. */
      'local-port': z.optional(ForwardFields['local-port']),
      /** Default: 127.0.0.1. */
      address: z.optional(ForwardFields.address),
      /** Default: false. */
      'auto-start': z.optional(ForwardFields['auto-start']),
      /** Default: 60. */
      'idle-minutes': z.optional(ForwardFields['idle-minutes']),
      /** Whether it starts at once. If that is not possible, nothing is added. Default: false. */
      start: z.optional(z.boolean()),
    }),
    response: z.object({ id: z.int(), port: z.int() }),
  },
  set: {
    summary:
      'Change a port forward; omitted members stay unchanged. Ports and address of one that is started cannot be changed (38).',
    needs: 'devices',
    body: z.object({ id: Id, ...z.partial(z.object(ForwardFields)).shape, revision: Revision }),
    response: Revised,
  },
  del: {
    summary: 'Delete port forwards. Their connections are closed.',
    needs: 'devices',
    body: z.object({ id: Ids }),
  },
  start: {
    summary:
      'Start a port forward on behalf of the caller, whose permissions it needs from then on. Returns the port of the hub.',
    needs: 'devices',
    body: z.object({ id: Id }),
    response: z.object({ port: z.int() }),
  },
  stop: {
    summary: 'Stop a port forward. Its connections are closed.',
    needs: 'devices',
    body: z.object({ id: Id }),
  },
  setPorts: {
    summary: 'Set which ports of a device may be forwarded beside the usual ones.',
    needs: 'devices',
    body: z.object({ sn: DeviceSn, ports: Ports }),
  },
});
