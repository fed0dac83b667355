import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { Language } from './language.ts';
import { limits } from './limits.ts';
import { PasswordRule } from './password-rule.ts';
import { KeyLength, Latency, Passphrase, Port, Revised, Revision } from './rules.ts';

const minutes = z
  .int('number')
  .check(
    z.refine(
      (value) => value === limits.sessionMinutes.never || (value >= 1 && value <= limits.sessionMinutes.max),
      'range',
    ),
  );

/** The default HTTPS port. */
export const usualHttpsPort = 8443;

/** Four digits that devices send when they join; leading zeros count. */
export const InvitationCode = z.string().check(z.regex(/^\d{4}$/, 'invitationCode'));

/** Exactly one group per call; published groups that this hub does not have are refused, not silently accepted. */
export const SettingsChange = z
  .strictObject({
    rtmp: z.optional(z.object({ port: Port })),
    srt: z.optional(
      z.object({
        port: z.optional(Port),
        /** Receiver latency of the listener, milliseconds. */
        latency: z.optional(Latency),
        'pb-key-len': z.optional(KeyLength),
        /** Empty or absent keeps the current one. */
        passphrase: z.optional(z.union([z.literal(''), Passphrase])),
      }),
    ),
    'expired-time': z.optional(minutes),
    /** Whether devices need an invitation code, and which; absent members stay unchanged. */
    security: z.optional(
      z.object({ 'enable-code': z.optional(z.boolean()), 'code-value': z.optional(InvitationCode) }),
    ),
    /** For browsers without a language chosen by the user. */
    language: z.optional(Language),
    /** Whether published clients may sign in with, and set, the MD5 of a password. */
    'sign-in': z.optional(z.object({ 'allow-md5': z.boolean() })),
    /** Absent members require nothing beyond the minimum for every new password. */
    'pwd-rule': z.optional(PasswordRule),
    web: z.optional(
      z.object({
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
      }),
    ),
    /** Whether the hub may connect to loopback and private addresses; absent members stay unchanged. */
    outgoing: z.optional(
      z.object({
        /** For inputs, outputs and source tests. */
        'private-media': z.optional(z.boolean()),
        'private-webhook': z.optional(z.boolean()),
      }),
    ),
    /** Revision of that group. */
    revision: Revision,
  })
  .check(z.refine((value) => groupsOf(value).length === 1, 'exactlyOne'));
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
] as const;
export type SettingsGroup = (typeof settingsGroups)[number];

export function groupsOf(change: { readonly [G in SettingsGroup]?: unknown }): SettingsGroup[] {
  return settingsGroups.filter((group) => change[group] !== undefined);
}

export const Settings = z.object({
  rtmp: z.object({ port: z.number() }),
  srt: z.object({
    port: z.number(),
    latency: z.number(),
    'pb-key-len': z.number(),
    /** The passphrase itself is never returned. */
    'passphrase-set': z.boolean(),
  }),
  web: z.object({
    'http-port': z.number(),
    'enable-https': z.boolean(),
    'https-port': z.number(),
    'redirect-https': z.boolean(),
    hsts: z.boolean(),
    'is-cert-valid': z.boolean(),
    'is-cert-key-valid': z.boolean(),
  }),
  /** Minutes; -1 never. */
  'expired-time': z.number(),
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
  /** One for each group. */
  revision: z.record(z.enum(settingsGroups), z.number()),
});
export type Settings = z.infer<typeof Settings>;

export const settingsApi = endpoints(calls.settings, {
  get: { summary: 'Get the settings.', response: Settings },
  revealCode: {
    summary: 'Reveal the invitation code; the operation log records the user.',
    body: z.object({}),
    response: z.object({ 'code-value': InvitationCode }),
  },
  set: {
    summary:
      'Change one group of settings; exactly one member per call. Changes that weaken sign-in also require userControl.',
    body: SettingsChange,
    response: Revised,
  },
});
