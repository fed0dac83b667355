/** The clock of the appliance, as the form of the console checks it, too. */
import * as z from 'zod/mini';
import { inWords, isHost, Revision } from './rules.ts';

/** A host name or an IP address by the grammar; it never begins with a dash, which programs take for an option. */
export const NtpServer = z.string().check(
  z.minLength(1, 'required'),
  z.refine((text) => isHost(text) && !text.includes('_'), 'host'),
  inWords('A host name, an IPv4 address or an IPv6 address.'),
);
export const maxNtpServers = 2;

/** As in the database of time zones; whether the system has it is checked by the hub. */
export const ZoneName = z
  .string()
  .check(
    z.maxLength(64, 'tooLong'),
    z.regex(/^[A-Z][A-Za-z]*(?:[/_+-][A-Z0-9a-z]+)*$/, 'format'),
    inWords('Such as `Europe/Berlin`.'),
  );

/** Milliseconds since 1970: the years 2024 to 2099, in which certificates and schedules work. */
export const clockRange = { min: Date.UTC(2024, 0), max: Date.UTC(2100, 0) - 1 };
export const ClockTime = z.int('number').check(z.gte(clockRange.min, 'range'), z.lte(clockRange.max, 'range'));

export const ntpFields = {
  enable: z.boolean(),
  /** One or two different servers; may be empty only while NTP is off. */
  servers: z.array(NtpServer).check(
    z.maxLength(maxNtpServers, 'tooMany'),
    z.refine((all) => new Set(all.map((one) => one.toLowerCase())).size === all.length, 'unique'),
    inWords('The servers differ.'),
  ),
};

/** One or more of the three; absent members stay unchanged. */
export const TimeChange = z
  .strictObject({
    ntp: z.optional(z.strictObject(ntpFields)),
    zone: z.optional(ZoneName),
    /** The time to set, in milliseconds since 1970; only while NTP is off. */
    date: z.optional(ClockTime),
    revision: Revision,
  })
  .check(
    z.refine(({ ntp }) => ntp?.enable !== true || ntp.servers.length > 0, {
      ...{ path: ['ntp', 'servers', 0], error: 'required' },
    }),
    inWords('NTP that is on has a server.'),
  );
export type TimeChange = z.infer<typeof TimeChange>;

/** A name of one label (RFC 1123), as the machine has it in its network. */
export const HostName = z.string().check(
  z.minLength(1, 'required'),
  z.regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/, 'characters'),
  z.refine((text) => !/^\d+$/.test(text), 'characters'),
  inWords('Letters, digits and dashes, not digits alone; at most 63, with no dash at either end.'),
);
