import * as z from 'zod/mini';
import { get } from './endpoint.ts';
import { limits } from './limits.ts';
import { listOf } from './outputs.ts';
import { Paging } from './rules.ts';

/** What of an object was changed. The console has a sentence for each word, most of them with the value in it. */
export const changeWords = [
  'name',
  'address',
  /** Of an output or input that is new. */
  'firstAddress',
  'forChannel',
  /** `true` or `false`, as the three that allow. */
  'enabled',
  'playKey',
  'pushKey',
  'allowRtmp',
  'allowSrt',
  'allowNdiHx',
  /** How the channel's own NDI source is sent: a word of `ndiTransports`, and the group of multicast. */
  'ndi',
  /** A bit of `protocolBits`. */
  'preferredProtocol',
  /** `true` or `false`. */
  'takeover',
  'input',
  'noInput',
  'backup',
  'noBackup',
  /** Members of the failover rule, with their values as they are on the wire. */
  'standby',
  'lostAfter',
  'lostWithoutVideo',
  'lostWithoutAudio',
  'back',
  'stableFor',
  'slate',
  /** `main` or `backup`. */
  'switchedTo',
  'output',
  'outputOn',
  'outputOff',
  /** Its address. */
  'client',
  'port',
  'latency',
  'encryption',
  'noEncryption',
  'httpPort',
  'httpsPort',
  'noHttps',
  'httpRedirected',
  'hsts',
  'sessionMinutes',
  'noExpiry',
  /** Kind of an alarm and its thresholds, such as `no-audio 5 s`. */
  'alarmOn',
  /** Kind of an alarm. */
  'alarmOff',
  'secret',
  'noSecret',
  'nick',
  'noNick',
  /** Name of the group. */
  'group',
  'password',
  /** Members that ask for something; empty for none. */
  'passwordRule',
  'invitationCode',
  'noInvitationCode',
  /** `true` or `false`: whether inputs and outputs, and the webhook, may connect to private addresses. */
  'privateMedia',
  'privateWebhook',
  /** `en` or `zh`. */
  'language',
  /** Names of those given and taken, as in permission.ts. */
  'granted',
  'revoked',
  /** Names of users. */
  'members',
  'noMembers',
  'description',
  /** Name of the user. */
  'owner',
  /** A date of ISO 8601. */
  'expires',
  /** Whether the hub accepts the MD5 of a password in its place. */
  'md5',
  'noMd5',
  /** How many. */
  'endedTokens',
] as const;
export type ChangeWord = (typeof changeWords)[number];

export const OperationChange = z.object({ word: z.enum(changeWords), value: z.optional(z.string()) });
export type OperationChange = z.infer<typeof OperationChange>;

/** One change of the hub: who did what to which object, from where, and how it ended. */
export const Operation = z.object({
  id: z.number(),
  /** Milliseconds since 1970. */
  time: z.number(),
  user: z.string(),
  ip: z.string(),
  /** Name of the access token it was done with; '' for none. */
  via: z.string(),
  /** `noun.verb`, such as `channel.add`. */
  action: z.string(),
  /** Name of the object, and what was changed, as a line of English; never a secret. */
  detail: z.string(),
  /** The same for other languages: name of the object, or group of the settings. Entries of old hubs lack it. */
  subject: z.optional(z.string()),
  changes: z.optional(z.array(OperationChange)),
  /** 0 success, else the result code. */
  result: z.number(),
});
export type Operation = z.infer<typeof Operation>;

/** One that was made while somebody else was editing the same. */
export type LaterChange = Pick<Operation, 'time' | 'user' | 'action' | 'detail' | 'result'> &
  Required<Pick<Operation, 'subject' | 'changes'>>;

const time = z.coerce.number().check(z.gte(0, 'range'), z.lte(Number.MAX_SAFE_INTEGER, 'range'));

/** A part of a text that is looked for; no entry has control characters. */
export const LogKey = z
  .string()
  .check(z.maxLength(limits.logKey.max, 'tooLong'), z.regex(/^[^\p{Cc}]*$/u, 'characters'));

/** Every one that is given has to hold. */
const operationFilter = {
  /** Milliseconds since 1970, the first and the last that counts. */
  from: z.optional(time),
  to: z.optional(time),
  /** The whole name. */
  user: z.optional(z.string().check(z.maxLength(limits.name.max, 'tooLong'))),
  result: z.optional(z.enum(['success', 'failure'], 'choice')),
  /** A part of user, address, action or detail, in whatever case. */
  key: z.optional(LogKey),
};
export const OperationFilter = z.object(operationFilter);
export type OperationFilter = z.infer<typeof OperationFilter>;

export const operationExportPath = '/api/log/export';

export const logApi = {
  list: get('/api/log/list', {
    scope: 'admin',
    summary: 'Operation log, the newest first.',
    query: z.object({
      ...Paging,
      /** Only entries older than that id: `next` of the answer before. In place of `start`, and stays put while entries are added. */
      before: z.optional(z.coerce.number().check(z.gte(0, 'range'), z.lte(Number.MAX_SAFE_INTEGER, 'range'))),
      ...operationFilter,
    }),
    answer: z.object({
      ...listOf(Operation).shape,
      /** `false`: there are more than `total`, because a frequent text isn't counted to its end. */
      counted: z.boolean(),
      /** `before` of the next page; 0 when there is none. */
      next: z.number(),
    }),
  }),
};
