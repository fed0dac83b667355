/** Alarms: what is wrong with a channel, by thresholds of its own, since when and until when. */
import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';
import { limits } from './limits.ts';
import { listOf } from './outputs.ts';
import { Paging, Revised, Revision } from './rules.ts';

/** The kinds that a channel has rules for. */
export const ruleKinds = [
  'no-input',
  'no-video',
  'no-audio',
  'bitrate-below',
  'cc-errors',
  'srt-loss',
  'on-backup',
  'on-slate',
  'output-failed',
] as const;
export type RuleKind = (typeof ruleKinds)[number];
/**
 * The hub's own, each one alarm, whatever the number of channels. `engine-replaced` lasts until the new engine has run
 * for a minute, `few-descriptors` while the engine refuses players, `no-space` while the data folder has little space.
 */
export const hubAlarmKinds = ['engine-down', 'engine-replaced', 'few-descriptors', 'no-space'] as const;
export const alarmKinds = [...ruleKinds, ...hubAlarmKinds] as const;
export const AlarmKind = z.enum(alarmKinds);
export type AlarmKind = z.infer<typeof AlarmKind>;

const within = (range: { min: number; max: number }) =>
  z.int('number').check(z.gte(range.min, 'range'), z.lte(range.max, 'range'));
const seconds = within(limits.alarm.seconds);
const lasting = z.object({ enable: z.boolean(), seconds });

/** When each alarm is raised. A rule that is off raises nothing and clears what it raised. */
export const AlarmRules = z.object({
  /** The input brings nothing. A channel that waits for its first publisher misses none yet. */
  'no-input': lasting,
  /** The input is connected without a picture, or without sound; also one that never had any. */
  'no-video': lasting,
  'no-audio': lasting,
  'bitrate-below': z.object({ enable: z.boolean(), kbps: within(limits.alarm.kbps), seconds }),
  /** Continuity faults of a transport stream. */
  'cc-errors': z.object({ enable: z.boolean(), 'per-minute': within(limits.alarm.perMinute) }),
  /** Packets that had to be sent again or never came, of an SRT input, over the last 10 s. */
  'srt-loss': z.object({ enable: z.boolean(), percent: within(limits.alarm.percent) }),
  /** The backup input is on air, or the slate because both inputs are gone. */
  'on-backup': lasting,
  'on-slate': lasting,
  /** An output that is on doesn't reach its destination while there is something to send. */
  'output-failed': lasting,
});
export type AlarmRules = z.infer<typeof AlarmRules>;

export const defaultAlarmRules: AlarmRules = {
  'no-input': { enable: true, seconds: 10 },
  'no-video': { enable: true, seconds: 5 },
  'no-audio': { enable: true, seconds: 5 },
  'bitrate-below': { enable: false, kbps: 1000, seconds: 10 },
  'cc-errors': { enable: true, 'per-minute': 10 },
  'srt-loss': { enable: true, percent: 5 },
  'on-backup': { enable: true, seconds: 1 },
  'on-slate': { enable: true, seconds: 1 },
  'output-failed': { enable: true, seconds: 15 },
};

export const Alarm = z.object({
  id: z.number(),
  kind: AlarmKind,
  /** 0: the hub itself. */
  channel: z.number(),
  /** As it was called when the alarm was raised; empty for the hub. */
  name: z.string(),
  /** The output that failed. */
  output: z.optional(z.object({ id: z.number(), name: z.string() })),
  /**
   * How the engine was lost, of `engine-replaced`: `hung` (it did not answer and was killed) or `ended` (its process ended
   * by itself, or was killed from outside).
   */
  reason: z.optional(z.string()),
  /** What the rule said when it was raised, and the worst that was seen: s, kbit/s, faults per minute, percent or MB. */
  threshold: z.number(),
  peak: z.number(),
  /** Milliseconds since 1970. */
  raised: z.number(),
  /** 0 while it is active. */
  cleared: z.number(),
});
export type Alarm = z.infer<typeof Alarm>;

/**
 * Every alarm and its end is sent as `POST` with JSON: `{event, time, alarm}`; `event` is `raised`, `cleared` or `test`.
 * `signalbox-timestamp` has the seconds since 1970 of the attempt and, where a secret is set, `signalbox-signature` the
 * HMAC-SHA256 with it, in hexadecimal, over the timestamp, a dot and the body. `signalbox-delivery` stays the same when
 * a delivery is tried again.
 */
export const WebhookSettings = z.object({
  enabled: z.boolean(),
  url: z.string().check(
    z.maxLength(limits.url.max, 'tooLong'),
    z.refine((url) => url === '' || isWebhookUrl(url), 'httpUrl'),
  ),
  /** Write only. Left out, the present one stays; empty, there is none any more. */
  secret: z.optional(z.string().check(z.maxLength(limits.webhookSecret.max, 'tooLong'))),
  revision: Revision,
});

/** Name and password in an address would be shown to whoever sees the settings; the secret is there for that. */
function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === ''
  );
}

/** How an attempt ended; without `reason` it was taken. */
const attempt = {
  ok: z.boolean(),
  /** Of the answer; 0 without one. */
  status: z.number(),
  /** `addressNotAllowed`, `dnsFailed`, `refused`, `timeout`, `tlsFailed`, `unreachable`, `redirected` or `notAccepted`. */
  reason: z.optional(z.string()),
};
export const WebhookAttempt = z.object(attempt);
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

export const Webhook = z.object({
  enabled: z.boolean(),
  /** Only the origin without the permission systemEdit: the path of a webhook often is its password. */
  url: z.string(),
  /** Whether `url` has more than the origin that is left out. */
  'url-path-set': z.optional(z.boolean()),
  'secret-set': z.boolean(),
  /** Waiting to be delivered. */
  waiting: z.number(),
  /** Left out because more than fit were waiting. */
  dropped: z.number(),
  /** Milliseconds until the next attempt, after a failed one. */
  'retry-in-ms': z.optional(z.number()),
  last: z.optional(z.object({ ...attempt, time: z.number() })),
  revision: z.number(),
});
export type Webhook = z.infer<typeof Webhook>;

const ChannelId = z.int('number');

export const alarmApi = {
  list: get('/api/alarm/list', {
    scope: 'channelView',
    summary: 'Alarms, the newest first.',
    query: z.object({
      ...Paging,
      /** 1: only those that are active, 0: only those that are over. */
      active: z.optional(z.coerce.number()),
      channel: z.optional(z.coerce.number()),
    }),
    answer: listOf(Alarm),
  }),
  rules: get('/api/alarm/rules', {
    scope: 'channelView',
    summary: 'What raises an alarm of a channel.',
    query: z.object({ channel: z.coerce.number() }),
    answer: z.object({ rules: AlarmRules, revision: z.number() }),
  }),
  setRules: post('/api/alarm/rules/set', {
    scope: 'channelEdit',
    summary: 'Change the rules of a channel; those that are left out stay.',
    body: z.object({ channel: ChannelId, rules: z.partial(AlarmRules), revision: Revision }),
    answer: Revised,
  }),
  clearHistory: post('/api/alarm/clear-history', {
    scope: 'channelEdit',
    summary: 'Forget the alarms that are over, of one channel or of all.',
    body: z.object({ channel: z.optional(ChannelId) }),
    answer: z.object({}),
  }),
  webhook: get('/api/alarm/webhook', {
    scope: 'systemView',
    summary: 'Where alarms are sent, and how the last delivery went.',
    answer: Webhook,
  }),
  setWebhook: post('/api/alarm/webhook/set', {
    scope: 'systemEdit',
    summary:
      'Choose where alarms are sent, each as a signed POST; a secret that is left out stays for the same origin only.',
    body: WebhookSettings,
    answer: Revised,
  }),
  revealWebhook: post('/api/alarm/webhook/reveal', {
    scope: 'systemEdit',
    summary: 'Show the whole address of the alarm webhook; the operation log records who looked.',
    body: z.object({}),
    answer: z.object({ url: z.string() }),
  }),
  testWebhook: post('/api/alarm/webhook/test', {
    scope: 'systemEdit',
    summary: 'Send a test event now and say how it went.',
    body: z.object({}),
    answer: WebhookAttempt,
  }),
};
