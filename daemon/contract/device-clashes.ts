/** Devices that state the serial number of a known one. They are never attached before somebody decides. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';

/** One of the two devices. */
const Claimant = z.object({
  /** Whether the hub reaches it at its address or through an agent. */
  link: z.enum(['direct', 'agent']),
  /** Where it is, or its agent was seen last; empty if that is not known. */
  address: z.string(),
  /** SHA-256 of the key of its agent, otherwise of its certificate, as hexadecimal digits; empty without one. */
  fingerprint: z.string(),
  name: z.string(),
  model: z.string(),
  /** Milliseconds since 1970. */
  'first-seen': z.int(),
  /** The same; 0: not known. */
  'last-seen': z.int(),
});

export const DeviceClash = z.object({
  id: z.int(),
  /** The serial number that both state. */
  sn: z.string(),
  /** The device that the hub knows. */
  present: Claimant,
  /** The other one. */
  other: Claimant,
  /** How often the other one has tried; attempts within a minute count once. */
  count: z.int(),
});
export type DeviceClash = z.infer<typeof DeviceClash>;

export const clashChoices = ['keep', 'replace', 'dismiss'] as const;

export const deviceClashApi = endpoints(calls.deviceClashes, {
  list: {
    summary: 'List devices that state the serial number of a known one, those that tried last first.',
    needs: 'devices',
    response: z.object({ list: z.array(DeviceClash) }),
  },
  decide: {
    summary: 'Decide which of two devices with the same serial number the hub uses.',
    needs: 'devices',
    body: z.object({
      id: z.int('number'),
      /**
       * `keep`: the present one, and the other is not raised again. `replace`: the other one, whose key, address and
       * password replace those of the present one. `dismiss`: the present one, until the other tries again.
       */
      choice: z.enum(clashChoices, 'choice'),
    }),
  },
});
