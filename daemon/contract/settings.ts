import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { PasswordRule } from './password-rule.ts';
import { Language, Revised } from './rules.ts';
import {
  InvitationCode,
  mailEncryptions,
  SettingsChange,
  settingsGroups,
  videohubVersions,
} from './settings-fields.ts';

export const Settings = z.object({
  rtmp: z.object({ port: z.int() }),
  srt: z.object({
    port: z.int(),
    latency: z.int(),
    'pb-key-len': z.int(),
    /** The passphrase itself is never returned. */
    'passphrase-set': z.boolean(),
  }),
  web: z.object({
    'http-port': z.int(),
    'enable-https': z.boolean(),
    'https-port': z.int(),
    'redirect-https': z.boolean(),
    hsts: z.boolean(),
    'is-cert-valid': z.boolean(),
    'is-cert-key-valid': z.boolean(),
    /** When the last certificate request was made, in milliseconds since 1970; absent once its certificate is installed. */
    'cert-requested': z.optional(z.int()),
  }),
  /** Where the certificate of HTTPS and its key are on the disk of the hub. */
  'cert-path': z.string(),
  'cert-key-path': z.string(),
  /** Minutes; -1: never. */
  'expired-time': z.int(),
  'pwd-rule': PasswordRule,
  'sign-in': z.object({ 'allow-md5': z.boolean() }),
  security: z.object({
    'enable-code': z.boolean(),
    /** Only with the permission systemEdit; without it, `code-value-set` is sent instead. */
    'code-value': z.optional(z.string()),
    'code-value-set': z.optional(z.boolean()),
  }),
  language: Language,
  /** Whether the hub may connect to loopback and private addresses. */
  outgoing: z.object({ 'private-media': z.boolean(), 'private-webhook': z.boolean() }),
  /** Mails about raised alarms. */
  mail: z.object({
    enabled: z.boolean(),
    host: z.string(),
    port: z.int(),
    encryption: z.enum(mailEncryptions),
    user: z.string(),
    /** The password itself is never returned. */
    'password-set': z.boolean(),
    from: z.string(),
    to: z.array(z.string()),
  }),
  /** What the console and alarm mails call the hub; empty for the host name of its machine. */
  'hub-name': z.string(),
  /** Mbit/s that all uploads of firmware to devices together may take; 0: no limit. */
  'upgrade-rate': z.int(),
  /** How the NDI router finds sources and is found. */
  'ndi-discovery': z.object({
    servers: z.string(),
    'extra-ips': z.string(),
    'send-groups': z.string(),
    'receive-groups': z.string(),
  }),
  /** The hub's own NDI discovery server. */
  'hub-ndi-server': z.object({ enable: z.boolean(), port: z.int() }),
  /** The server for hardware panels of the NDI router. */
  videohub: z.object({
    enabled: z.boolean(),
    address: z.string(),
    port: z.int(),
    allow: z.array(z.string()),
    model: z.string(),
    version: z.enum(videohubVersions),
  }),
  /** One for each group. */
  revision: z.record(z.enum(settingsGroups), z.int()),
  /** Changes that wait to be confirmed: until when, in milliseconds since 1970. Absent if there are none. */
  unconfirmed: z.optional(z.partialRecord(z.enum(settingsGroups), z.int())),
});
export type Settings = z.infer<typeof Settings>;

export const settingsApi = endpoints(calls.settings, {
  get: { summary: 'Get the settings.', response: Settings },
  revealCode: {
    summary: 'Reveal the invitation code; the operation log records the user.',
    body: z.object({}),
    response: z.object({ 'code-value': InvitationCode }),
  },
  confirm: {
    summary: 'Keep a change of settings that would be reverted otherwise.',
    body: z.object({ group: z.enum(settingsGroups) }),
  },
  set: {
    summary:
      'Change one group of settings; exactly one member per call. Changes that weaken sign-in also require userControl.',
    body: SettingsChange,
    shown: Settings,
    response: Revised,
  },
});
