/** What a search for devices in the networks of the hub finds. */
import * as z from 'zod/mini';
import { deviceApis } from './device-catalog.ts';

/** Ways to look for devices: three kinds of announcements, and asking each address of a network. */
export const discoveryMethods = ['mdns', 'ssdp', 'wsDiscovery', 'scan'] as const;
export type DiscoveryMethod = (typeof discoveryMethods)[number];

/** Nothing of it is proven: it is what answers at the address says to everyone. */
export const FoundDevice = z.object({
  /** As `device/add` takes it: an http or https URL without a path. */
  address: z.string(),
  name: z.optional(z.string()),
  model: z.optional(z.string()),
  maker: z.optional(z.string()),
  sn: z.optional(z.string()),
  mac: z.optional(z.string()),
  /** The API that answers without a login; absent: none that the hub knows, so that it cannot be added. */
  api: z.optional(z.enum(deviceApis)),
  /** SHA-256 of the certificate that it shows, if no authority has signed it. */
  pin: z.optional(z.string()),
  /** How it was found; `scan` if it did not announce itself. */
  by: z.array(z.enum(discoveryMethods)),
  /** Whether the hub has a device of this address, serial number or MAC address. */
  added: z.boolean(),
});
export type FoundDevice = z.infer<typeof FoundDevice>;
