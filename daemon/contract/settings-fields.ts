/** A change of the settings. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { NdiAddress } from './ndi.ts';
import { oneLine } from './one-line.ts';
import { PasswordRule } from './password-rule.ts';
import {
  HubName,
  IpAddress,
  inWords,
  isHost,
  KeyLength,
  Language,
  Latency,
  Passphrase,
  Port,
  Revision,
  whole,
} from './rules.ts';

/** As published, 0 is taken too; a session that ended at once would be of no use, so it is the shortest. */
const minutes = z.int('number').check(
  z.overwrite((value) => (value === 0 ? 1 : value)),
  z.refine((value) => value === limits.sessionMinutes.never || (value >= 1 && value <= limits.sessionMinutes.max), {
    error: 'range',
    params: { min: 1, max: limits.sessionMinutes.max, or: limits.sessionMinutes.never },
  }),
  z.meta({ anyOf: [{ const: limits.sessionMinutes.never }, { minimum: 0, maximum: limits.sessionMinutes.max }] }),
);

/** Four digits that devices send when they join; leading zeros count. */
export const InvitationCode = z.string().check(z.regex(/^\d{4}$/, 'invitationCode'));

/** Seconds in which a change must be confirmed, or it is reverted. */
export const ConfirmWithin = z.int('number').check(z.gte(10, 'range'), z.lte(600, 'range'));

/** How the connection to the mail server is encrypted. */
export const mailEncryptions = ['none', 'starttls', 'tls'] as const;
export type MailEncryption = (typeof mailEncryptions)[number];

/** Versions of the Videohub protocol that the hub can say it speaks. */
export const videohubVersions = ['2.3', '2.4', '2.5', '2.6', '2.7', '2.8'] as const;
export type VideohubVersion = (typeof videohubVersions)[number];

/** No character in it can end a header or an SMTP command. */
const mailAddress =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;
export const MailAddress = z
  .string()
  .check(
    z.maxLength(limits.mail.address, 'tooLong'),
    z.regex(mailAddress, 'mailAddress'),
    inWords('Without a display name, such as `noc@example.org`.'),
  );

/** Mails about raised alarms; absent members stay unchanged. While enabled, host, sender and recipients are required. */
export const MailChange = z.object({
  enabled: z.optional(z.boolean()),
  /** The mail server. */
  host: z.optional(
    z.string().check(
      z.refine((text) => text === '' || isHost(text), 'host'),
      inWords('An IPv4 or IPv6 address, or a name; empty for none.'),
    ),
  ),
  port: z.optional(Port),
  /**
   * `starttls`: the connection becomes encrypted before anything else is sent, or nothing is sent. `tls`: it is from the
   * start. Both verify the certificate. `none`: password and mail cross the network in clear.
   */
  encryption: z.optional(z.enum(mailEncryptions)),
  /** Empty: the hub does not sign in, and a stored password is removed. */
  user: z.optional(z.string().check(z.maxLength(limits.mail.user, 'tooLong'), z.regex(/^[^\p{Cc}]*$/u, 'characters'))),
  /** Write only. Empty or absent keeps the current one, which is possible only for the same host, port and encryption. */
  password: z.optional(
    z.string().check(z.maxLength(limits.mail.password, 'tooLong'), z.regex(/^[^\p{Cc}]*$/u, 'characters')),
  ),
  /** The sender. */
  from: z.optional(
    z.string().check(
      z.maxLength(limits.mail.address, 'tooLong'),
      z.refine((text) => text === '' || mailAddress.test(text), 'mailAddress'),
      inWords('A mail address without a display name; empty for none.'),
    ),
  ),
  /** The recipients. */
  to: z.optional(z.array(MailAddress).check(z.maxLength(limits.mail.recipients, 'tooMany'))),
});

/** The change of each group. */
export const settingsFields = {
  rtmp: z.object({ port: Port }),
  srt: z.object({
    port: z.optional(Port),
    /** Receiver latency of the listener, milliseconds. */
    latency: z.optional(Latency),
    'pb-key-len': z.optional(KeyLength),
    /** Empty or absent keeps the current one. */
    passphrase: z.optional(z.union([z.literal(''), Passphrase])),
  }),
  'expired-time': minutes,
  /** Whether devices need an invitation code, and which; absent members stay unchanged. */
  security: z.object({ 'enable-code': z.optional(z.boolean()), 'code-value': z.optional(InvitationCode) }),
  /** For browsers without a language chosen by the user. */
  language: Language,
  /** Whether published clients may sign in with, and set, the MD5 of a password. */
  'sign-in': z.object({ 'allow-md5': z.boolean() }),
  /** Absent members require nothing beyond the minimum for every new password. */
  'pwd-rule': PasswordRule,
  web: z.object({
    'http-port': z.optional(Port),
    'enable-https': z.optional(z.boolean()),
    'https-port': z.optional(Port),
    /**
     * Whether pages over HTTP are redirected to HTTPS and calls over HTTP refused, except those from the hub's own
     * machine. Can be enabled only by a call over HTTPS; disabled when HTTPS is disabled or its port changes.
     */
    'redirect-https': z.optional(z.boolean()),
    /**
     * Whether HTTPS responses carry `Strict-Transport-Security` of 26 weeks. Can be enabled only by a call over
     * HTTPS; HTTPS cannot be disabled while it is on.
     */
    hsts: z.optional(z.boolean()),
    /**
     * Names of uploaded files, which are installed with this change: certificate, key or both. They have to match each
     * other. A certificate alone has to match the key of the last request or the present key.
     */
    'cert-filename': z.optional(z.string().check(z.regex(/^[0-9a-f]{16}\.crt$/, 'format'))),
    'cert-key-filename': z.optional(z.string().check(z.regex(/^[0-9a-f]{16}\.pem$/, 'format'))),
    /**
     * Installs a new certificate that the hub signs itself and renews. Not possible with an uploaded file, nor with
     * HSTS, where browsers refuse a certificate that they do not trust.
     */
    'cert-self-signed': z.optional(z.literal(true)),
  }),
  /** Whether the hub may connect to loopback and private addresses; absent members stay unchanged. */
  outgoing: z.object({
    /** For inputs, outputs and source tests. */
    'private-media': z.optional(z.boolean()),
    /** For the alarm webhook and the mail server. */
    'private-webhook': z.optional(z.boolean()),
  }),
  /** Discovery of sources and outputs. A change restarts the NDI process; receivers keep their picture. */
  'ndi-discovery': z.object({
    /** Discovery servers. While there are any, outputs are announced to them only. */
    servers: NdiAddress.shape['discovery-server'],
    /** Addresses of machines to query in addition to discovered ones. */
    'extra-ips': NdiAddress.shape['extra-ips'],
    /** The groups of outputs that have none of their own, and of discovered sources; '' for the public group. */
    'send-groups': NdiAddress.shape.groups,
    'receive-groups': NdiAddress.shape.groups,
  }),
  /**
   * The NDI discovery server of the hub itself, a program of the vendor that an administrator installs. Absent members
   * stay unchanged. `ndi/router/get` has its state.
   */
  'hub-ndi-server': z.object({
    enable: z.optional(z.boolean()),
    port: z.optional(Port),
  }),
  /**
   * The server through which hardware panels drive the NDI router by the Videohub protocol, which has no sign-in and no
   * encryption. While enabled, `address` and `allow` are required; absent members stay unchanged.
   */
  videohub: z.object({
    enabled: z.optional(z.boolean()),
    /** The address of the hub to listen on. */
    address: z.optional(z.union([z.literal(''), IpAddress])),
    port: z.optional(Port),
    /** Addresses of panels; others are refused. */
    allow: z.optional(z.array(IpAddress).check(z.maxLength(limits.ndiRouter.panelAddresses, 'tooMany'))),
    /** Model name that the hub reports to panels, because some panels check it. */
    model: z.optional(
      z
        .string()
        .check(
          z.minLength(1, 'required'),
          z.maxLength(limits.ndiRouter.panelModel, 'tooLong'),
          z.regex(oneLine, 'characters'),
        ),
    ),
    /** Of the protocol. */
    version: z.optional(z.enum(videohubVersions, 'choice')),
  }),
  mail: MailChange,
  'hub-name': HubName,
  /** Mbit/s that all uploads of firmware to devices together may take, so that they slow down no stream. 0: no limit. */
  'upgrade-rate': whole(limits.upgrade.rate),
};

/** Exactly one group per call; published groups that this hub does not have are refused, not silently accepted. */
export const SettingsChange = z
  .strictObject({
    ...z.partial(z.object(settingsFields)).shape,
    /** Revision of that group. */
    revision: Revision,
    /** The change is reverted after this time unless `settings/confirm` arrives, for example at the new port. */
    'confirm-within': z.optional(ConfirmWithin),
  })
  .check(
    z.refine((value) => groupsOf(value).length === 1, 'exactlyOne'),
    z.meta({ oneOf: Object.keys(settingsFields).map((group) => ({ required: [group] })) }),
  );
export type SettingsChange = z.infer<typeof SettingsChange>;

export const settingsGroups = [
  'rtmp',
  'srt',
  'web',
  'expired-time',
  'pwd-rule',
  'sign-in',
  'security',
  'language',
  'outgoing',
  'mail',
  'hub-name',
  'upgrade-rate',
  'ndi-discovery',
  'hub-ndi-server',
  'videohub',
] as const;
export type SettingsGroup = (typeof settingsGroups)[number];

export function groupsOf(change: { readonly [G in SettingsGroup]?: unknown }): SettingsGroup[] {
  return settingsGroups.filter((group) => change[group] !== undefined);
}
