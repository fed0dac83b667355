/** The alarm rules of a channel and the webhook. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { inWords, Revision, whole } from './rules.ts';

const seconds = whole(limits.alarm.seconds);
const lasting = z.object({ enable: z.boolean(), seconds });

/** When each alarm is raised. A disabled rule raises no alarm and clears the one it raised. */
export const AlarmRules = z.object({
  /** The input delivers no data. Not raised while a channel waits for its first publisher. */
  'no-input': lasting,
  /** The input is connected but has no video, or no audio, even if it never had any. */
  'no-video': lasting,
  'no-audio': lasting,
  /** The bitrate of the input stays below this. */
  'bitrate-below': z.object({ enable: z.boolean(), kbps: whole(limits.alarm.kbps), seconds }),
  /** Continuity counter errors of a transport stream. */
  'cc-errors': z.object({ enable: z.boolean(), 'per-minute': whole(limits.alarm.perMinute) }),
  /** Packets of an SRT input that were retransmitted or lost, over the last 10 s. */
  'srt-loss': z.object({ enable: z.boolean(), percent: whole(limits.alarm.percent) }),
  /** The backup input is on air, or the slate because both inputs are lost. */
  'on-backup': lasting,
  'on-slate': lasting,
  /** An enabled output does not reach its destination although there is data to send. */
  'output-failed': lasting,
});
export type AlarmRules = z.infer<typeof AlarmRules>;

/** When alarms of devices are raised. A disabled rule raises no alarm and clears those that it raised. */
export const DeviceAlarmRules = z.object({
  /** The hub does not reach the device. */
  'device-offline': lasting,
  /** The device answers, but not as it should: wrong password, changed certificate, and other problems. */
  'device-problem': lasting,
  /** No signal at the input, or one that the device does not support. */
  'device-no-signal': lasting,
  /** The device says that it is too hot, or reports at least this temperature. */
  'device-hot': z.object({ enable: z.boolean(), celsius: whole(limits.alarm.celsius), seconds }),
  /** A disk is full, too slow or has failed, or less than this share of it is free. */
  'device-storage': z.object({ enable: z.boolean(), percent: whole(limits.alarm.percent), seconds }),
  /** A network port of the device has no link. */
  'device-network': lasting,
});
export type DeviceAlarmRules = z.infer<typeof DeviceAlarmRules>;

/**
 * Each alarm is sent when it is raised and when it is cleared, as a `POST` with JSON `{event, time, alarm}`; `event` is
 * `raised`, `cleared` or `test`. `signalbox-timestamp` is the time of the attempt in seconds since 1970. If a secret is
 * set, `signalbox-signature` is the hexadecimal HMAC-SHA256, keyed with it, of the timestamp, a dot and the body.
 * `signalbox-delivery` stays the same when a delivery is retried.
 */
export const WebhookSettings = z.object({
  enabled: z.boolean(),
  url: z.string().check(
    z.maxLength(limits.url.max, 'tooLong'),
    z.refine((url) => url === '' || isWebhookUrl(url), 'httpUrl'),
    inWords('http or https, without credentials and fragment; empty for none.'),
  ),
  /** Write only. If absent, the current secret is kept; an empty string removes it. */
  secret: z.optional(z.string().check(z.maxLength(limits.webhookSecret.max, 'tooLong'))),
  revision: Revision,
});

/** Credentials in the URL would be visible to everyone who can see the settings; the secret exists instead. */
function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === ''
  );
}
