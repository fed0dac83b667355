import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';
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

/** The HTTPS port of a hub for which nobody has chosen one. */
export const usualHttpsPort = 8443;

/** Four digits that devices bring when they join; zeros in front count. */
export const InvitationCode = z.string().check(z.regex(/^\d{4}$/, 'invitationCode'));

/** Exactly one group per call; published ones that this hub doesn't have are refused, not taken for done. */
export const SettingsChange = z
  .strictObject({
    rtmp: z.optional(z.object({ port: Port })),
    srt: z.optional(
      z.object({
        port: z.optional(Port),
        /** Receiver latency of the listener, milliseconds. */
        latency: z.optional(Latency),
        'pb-key-len': z.optional(KeyLength),
        /** Blank or absent keeps the present one. */
        passphrase: z.optional(z.union([z.literal(''), Passphrase])),
      }),
    ),
    'expired-time': z.optional(minutes),
    /** Whether devices need an invitation code, and which; what is left out stays. */
    security: z.optional(
      z.object({ 'enable-code': z.optional(z.boolean()), 'code-value': z.optional(InvitationCode) }),
    ),
    /** For browsers in which nobody has chosen one. */
    language: z.optional(Language),
    /** Whether published clients may sign in with the MD5 of a password, and set one by it. */
    'sign-in': z.optional(z.object({ 'allow-md5': z.boolean() })),
    /** What is left out asks for nothing beyond what holds for every new password. */
    'pwd-rule': z.optional(PasswordRule),
    web: z.optional(
      z.object({
        'http-port': z.optional(Port),
        'enable-https': z.optional(z.boolean()),
        'https-port': z.optional(Port),
        /**
         * Whether pages over HTTP are redirected to HTTPS and calls over HTTP refused, those from the hub's own machine
         * aside. Switched on by a call over HTTPS only; off after a change of the HTTPS port and without HTTPS.
         */
        'redirect-https': z.optional(z.boolean()),
        /**
         * Whether answers over HTTPS carry `Strict-Transport-Security` of 26 weeks. Switched on by a call over HTTPS only;
         * HTTPS can't be switched off while it is on.
         */
        hsts: z.optional(z.boolean()),
      }),
    ),
    /** Whether the hub connects to loopback and private addresses; what is left out stays. */
    outgoing: z.optional(
      z.object({
        /** For inputs, outputs and tests of sources. */
        'private-media': z.optional(z.boolean()),
        'private-webhook': z.optional(z.boolean()),
      }),
    ),
    /** Of that group. */
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
    /** The passphrase itself is never answered. */
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
    /** Only with the permission systemEdit; `code-value-set` replaces it for others. */
    'code-value': z.optional(z.string()),
    'code-value-set': z.optional(z.boolean()),
  }),
  language: Language,
  /** Whether the hub connects to loopback and private addresses. */
  outgoing: z.object({ 'private-media': z.boolean(), 'private-webhook': z.boolean() }),
  /** Of each group by itself. */
  revision: z.record(z.enum(settingsGroups), z.number()),
});
export type Settings = z.infer<typeof Settings>;

export const settingsApi = {
  get: get('/api/settings/get', { scope: 'systemView', summary: 'Settings of the hub.', answer: Settings }),
  revealCode: post('/api/settings/reveal-code', {
    scope: 'systemEdit',
    summary: 'Show the invitation code; the operation log records who looked.',
    body: z.object({}),
    answer: z.object({ 'code-value': InvitationCode }),
  }),
  set: post('/api/settings/set', {
    scope: 'systemEdit',
    summary:
      'Change one group of settings; exactly one member per call. A change that weakens sign-in also takes userControl.',
    body: SettingsChange,
    answer: Revised,
  }),
};
