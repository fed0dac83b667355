/** Alarms: a fault of a channel, raised and cleared by the channel's own thresholds, or of a device. */
import * as z from 'zod/mini';
import { AlarmRules, DeviceAlarmRules, WebhookSettings } from './alarm-fields.ts';
import { alarmKinds } from './alarm-kinds.ts';
import { alarmSeverities } from './alarm-severity.ts';
import { calls } from './calls.ts';
import { DeviceSn } from './device-fields.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import { Ids, IntText, listOf, Paging, Revised, Revision, whole } from './rules.ts';

export const AlarmKind = z.enum(alarmKinds);
export type AlarmKind = z.infer<typeof AlarmKind>;

export const Alarm = z.object({
  id: z.int(),
  kind: AlarmKind,
  /** Follows from the kind. `critical`: the program is lost; `warning`: it is degraded, or has lost a reserve. */
  severity: z.enum(alarmSeverities),
  /** 0 for an alarm of the hub itself, or of devices. */
  channel: z.int(),
  /** Name of the channel or device when the alarm was raised; empty for the hub. */
  name: z.string(),
  /**
   * Serial number of the device. If 20 devices or more have the same fault, they have one alarm without it: `threshold`
   * and `peak` are numbers of devices then, and those who are not administrators get the threshold as `peak`.
   */
  device: z.optional(z.string()),
  /** The output that failed. */
  output: z.optional(z.object({ id: z.int(), name: z.string() })),
  /**
   * `device-offline` and `device-problem`: the problem of the device. `engine-replaced`: how the engine was lost: `hung` (it did not answer and was killed) or `ended` (its process
   * exited, or was killed from outside).
   */
  reason: z.optional(z.string()),
  /** The rule's threshold when it was raised, and the worst value seen: s, kbit/s, errors per minute, percent, MB or °C. */
  threshold: z.number(),
  peak: z.number(),
  /** Milliseconds since 1970. */
  raised: z.int(),
  /** Milliseconds since 1970; 0 while the alarm is active. */
  cleared: z.int(),
  /** Who acknowledged the alarm, and when (milliseconds since 1970). */
  acknowledged: z.optional(z.object({ by: z.string(), time: z.int() })),
  /**
   * Milliseconds since 1970 until which the alarm does not call for attention, 0: until it is cleared. Absent if the alarm
   * was not muted. The webhook gets muted alarms as well; they are not mailed.
   */
  'muted-until': z.optional(z.int()),
});
export type Alarm = z.infer<typeof Alarm>;

/** Result of an attempt; it was accepted if `reason` is absent. */
const attempt = {
  ok: z.boolean(),
  /** HTTP status of the response; 0 without a response. */
  status: z.int(),
  /** `addressNotAllowed`, `dnsFailed`, `refused`, `timeout`, `tlsFailed`, `unreachable`, `redirected`, `notAccepted` */
  reason: z.optional(z.string()),
};
export const WebhookAttempt = z.object(attempt);
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

/** Why a mail was not sent; each names the step that failed. */
export const mailReasons = [
  /** The settings refuse the server's address. */
  'addressNotAllowed',
  'dnsFailed',
  'unreachable',
  /** The server refused the connection. */
  'refused',
  /** A step took longer than 10 s. */
  'timeout',
  /** The server offers no TLS, or its certificate is not trusted. */
  'tlsFailed',
  /** The server did not accept user and password. */
  'authRefused',
  'senderRefused',
  'recipientRefused',
  /** Any other answer, or the connection ended. */
  'notAccepted',
] as const;
export const MailAttempt = z.object({
  /** Whether the server accepted the mail for every recipient. */
  ok: z.boolean(),
  /** Code of the server's answer that refused, such as 535; 0 without one. */
  code: z.int(),
  reason: z.optional(z.enum(mailReasons)),
  /** The recipients that the server refused; the others got the mail. */
  refused: z.optional(z.array(z.string())),
});
export type MailAttempt = z.infer<typeof MailAttempt>;

/** How the delivery of events to a target goes. */
const delivery = {
  /** Events in the queue. */
  waiting: z.int(),
  /** Events discarded because the queue was full. */
  dropped: z.int(),
  /** Milliseconds until the next attempt; present after a failed one. */
  'retry-in-ms': z.optional(z.int()),
  /** When the target last accepted an event, milliseconds since 1970; absent if it never has. */
  'last-accepted': z.optional(z.int()),
};
const DeliveryState = z.object(delivery);
export type DeliveryState = z.infer<typeof DeliveryState>;

/** `last` is the last attempt to send a mail about alarms, and when it was made. */
export const MailState = z.object({ ...delivery, last: z.optional(z.object({ ...MailAttempt.shape, time: z.int() })) });
export type MailState = z.infer<typeof MailState>;

export const Webhook = z.object({
  enabled: z.boolean(),
  /** Only the origin without the permission systemEdit, because the path of a webhook is often its password. */
  url: z.string(),
  /** Whether `url` was shortened to its origin. */
  'url-path-set': z.optional(z.boolean()),
  'secret-set': z.boolean(),
  ...delivery,
  /** The last attempt to deliver an event, and when it was made; tests do not count. */
  last: z.optional(z.object({ ...attempt, time: z.int() })),
  revision: z.int(),
});
export type Webhook = z.infer<typeof Webhook>;

const ChannelId = z.int('number');

/** Filter of the list and of the export. */
export const AlarmFilter = z.object({
  /** 1: only active alarms; 0: only cleared ones. */
  active: z.optional(IntText),
  /** 0: alarms of the hub itself, and those that several devices have in common. */
  channel: z.optional(IntText),
  /** Serial number of a device. */
  device: z.optional(DeviceSn),
  severity: z.optional(z.enum(alarmSeverities)),
});
export type AlarmFilter = z.infer<typeof AlarmFilter>;

/** One active alarm; or a channel (0: the hub) or a device with its active alarms and those that it raises meanwhile. */
const MuteTarget = { id: z.optional(z.int('number')), channel: z.optional(ChannelId), device: z.optional(DeviceSn) };

export const alarmApi = endpoints(calls.alarms, {
  list: {
    summary: 'List alarms, the newest first.',
    query: z.object({ ...Paging, ...AlarmFilter.shape }),
    response: listOf(Alarm),
  },
  acknowledge: {
    summary:
      'Acknowledge active alarms in the name of the user; ids of other alarms are ignored. Those of devices also require deviceControl.',
    body: z.object({ id: Ids }),
  },
  mute: {
    summary:
      'Mute one active alarm, a channel or a device, for some minutes or until the alarms are cleared. Those of devices also require deviceControl.',
    body: z.object({
      ...MuteTarget,
      /** Omitted: until the alarms that are active now are cleared. */
      minutes: z.optional(whole(limits.muteMinutes)),
    }),
  },
  unmute: {
    summary: 'End the muting of one alarm, or of a channel or device and its active alarms.',
    body: z.object(MuteTarget),
  },
  rules: {
    summary: 'Get the alarm rules of a channel.',
    query: z.object({ channel: IntText }),
    response: z.object({ rules: AlarmRules, revision: z.int() }),
  },
  setRules: {
    summary: 'Change the alarm rules of a channel; omitted rules stay unchanged.',
    body: z.object({ channel: ChannelId, rules: z.partial(AlarmRules), revision: Revision }),
    response: Revised,
  },
  deviceRules: {
    summary: 'Get the alarm rules of all devices.',
    response: z.object({ rules: DeviceAlarmRules, revision: z.int() }),
  },
  setDeviceRules: {
    summary: 'Change the alarm rules of all devices; omitted rules stay unchanged.',
    body: z.object({ rules: z.partial(DeviceAlarmRules), revision: Revision }),
    response: Revised,
  },
  clearHistory: {
    summary: 'Delete the cleared alarms of one channel or of all.',
    body: z.object({ channel: z.optional(ChannelId) }),
  },
  webhook: {
    summary: 'Get the alarm webhook and the result of the last delivery.',
    response: Webhook,
  },
  setWebhook: {
    summary:
      'Change the alarm webhook, which gets each alarm as a signed POST. An omitted secret is kept only for the same origin.',
    body: WebhookSettings,
    shown: Webhook,
    response: Revised,
  },
  revealWebhook: {
    summary: 'Reveal the full URL of the alarm webhook; the operation log records the user.',
    body: z.object({}),
    response: z.object({ url: z.string() }),
  },
  testWebhook: {
    summary: 'Send a test event now and return the result.',
    body: z.object({}),
    response: WebhookAttempt,
  },
  mail: {
    summary: 'Get how the delivery of alarm mails goes.',
    response: MailState,
  },
  testMail: {
    summary:
      'Send a test mail with the stored settings now and return the result. Refused with `wrongState` while server, sender or recipients are missing.',
    body: z.object({}),
    response: MailAttempt,
  },
});
