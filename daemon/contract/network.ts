/** The network of the appliance, and changes that are undone unless they are confirmed. */
import * as z from 'zod/mini';
import { Missing } from './appliance.ts';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { ConfirmNetworkWithin, ethernetPorts, PortFields, PortSettings } from './network-fields.ts';
import { changeFailures, changeOutcomes, confirmedKinds, portStates } from './network-states.ts';
import { Revision } from './rules.ts';

export const NetworkPort = z.object({
  port: z.enum(ethernetPorts),
  /** Its settings; undefined while they are unknown or another program makes them. */
  settings: z.optional(PortFields),
  state: z.enum(portStates),
  /** Name of the interface in the kernel, such as `eth0`; empty for none. */
  device: z.string(),
  /** Hardware address. */
  mac: z.string(),
  driver: z.string(),
  /** Whether a cable with a running peer is plugged in. */
  link: z.boolean(),
  /** Mbit/s; 0: unknown. */
  speed: z.int(),
  /** Those that it has now, with the length of the prefix: `192.0.2.10/24`. */
  addresses: z.array(z.string()),
  /** In use now; empty for none. */
  gateway: z.string(),
  dns: z.array(z.string()),
  /** Traffic in kbit/s. */
  'rx-kbps': z.int(),
  'tx-kbps': z.int(),
});
export type NetworkPort = z.infer<typeof NetworkPort>;

/** A change that waits to be confirmed. */
export const WaitingChange = z.object({
  kind: z.enum(confirmedKinds),
  /** Who made it. */
  user: z.string(),
  /** Seconds until it is undone. */
  seconds: z.int(),
  /** Whether it is in effect; only then can it be confirmed. */
  applied: z.boolean(),
});
export type WaitingChange = z.infer<typeof WaitingChange>;

/** The change that ended last. */
export const EndedChange = z.object({
  kind: z.enum(confirmedKinds),
  user: z.string(),
  outcome: z.enum(changeOutcomes),
  /** Of one that failed. */
  failure: z.optional(z.enum(changeFailures)),
  /** When it ended, in milliseconds since 1970. */
  time: z.int(),
});
export type EndedChange = z.infer<typeof EndedChange>;

export const Network = z.object({
  ports: z.array(NetworkPort),
  waiting: z.optional(WaitingChange),
  /** Since the hub started. */
  ended: z.optional(EndedChange),
  missing: Missing,
  revision: z.int(),
});
export type Network = z.infer<typeof Network>;

/** How a change is to be confirmed. */
export const confirmation = {
  /** Default: 60. */
  'confirm-within': z.optional(ConfirmNetworkWithin),
  /** Must be true for a change that is final at once, because it may cut the caller off for good. */
  'accept-risk': z.optional(z.boolean()),
};

/** What the page needs to confirm a change. */
export const ToConfirm = z.object({
  /** For `network/confirm`; absent for a change that is final. */
  token: z.optional(z.string()),
  /** Seconds until the change is undone; 0 for a change that is final. */
  'confirm-by-s': z.int(),
  /** The addresses that the hub will have, as far as they are known. */
  addresses: z.array(z.string()),
});
export type ToConfirm = z.infer<typeof ToConfirm>;

export const networkApi = endpoints(calls.network, {
  get: {
    summary: 'Get the Ethernet ports with their settings and state, and the change that waits to be confirmed.',
    needs: 'hardware',
    response: Network,
  },
  set: {
    summary:
      'Change Ethernet ports. The answer comes before the change, which is undone unless it is confirmed with the token, from the new address if need be. 1004 while another change waits.',
    needs: 'hardware',
    body: z
      .object({
        eth1: z.optional(PortSettings),
        eth2: z.optional(PortSettings),
        revision: Revision,
        ...confirmation,
      })
      .check(
        z.refine(({ eth1, eth2 }) => eth1 !== undefined || eth2 !== undefined, { error: 'required', path: ['eth1'] }),
        z.meta({ anyOf: [{ required: ['eth1'] }, { required: ['eth2'] }] }),
      ),
    response: ToConfirm,
  },
  confirm: {
    summary:
      'Keep a change that is in effect. Needs no session, as cookies belong to the old address: the token is the proof, and the user who made the change gets a session at the address of this call. With `challenge`, it changes nothing: `answer` proves that the hub has the address that was called, before the token is sent to an address that another machine may have.',
    needs: 'hardware',
    body: z.object({
      /** Absent: the author of the change confirms it, who is signed in. */
      token: z.optional(z.string().check(z.regex(/^[\w-]{43}$/, 'format'))),
      /** Random text. */
      challenge: z.optional(z.string().check(z.regex(/^[\w-]{22,64}$/, 'format'))),
    }),
    response: z.object({
      kind: z.enum(confirmedKinds),
      /**
       * To `challenge`: the HMAC-SHA256, in hexadecimal digits, of the challenge, a space and the address that was called.
       * The key is the SHA-256 of the token, as text of hexadecimal digits. Compute it with the address that you called,
       * because a machine that passes on the challenge gets the answer for the address that it calls.
       */
      answer: z.optional(z.string()),
      /** With `answer`: the IP address of the hub at which the call arrived. Another one behind a proxy or NAT. */
      address: z.optional(z.string()),
    }),
  },
  cancel: {
    summary: 'Undo the change that waits to be confirmed, now.',
    needs: 'hardware',
    body: z.object({}),
  },
  identify: {
    summary:
      'Let the lights at a port blink for 10 seconds, and answer then. 1005 while it blinks already; 9 (unsupported) if its driver cannot do it, or if a part of the system is missing, which `part` names.',
    needs: 'hardware',
    body: z.object({ port: z.enum(ethernetPorts, 'choice') }),
  },
});
