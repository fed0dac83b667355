/** Schedules of devices, the alarm webhook and the alarm rules of devices. */
import * as z from 'zod/mini';
import { DeviceAlarmRules, WebhookSettings } from '../contract/alarm-fields.ts';
import { limits } from '../contract/limits.ts';
import { ScheduleConfig } from '../contract/schedules.ts';
import { readWebhook, webhookId, writeWebhook } from '../features/alarms/store.ts';
import { readGroup, writeGroup } from '../features/settings/store.ts';
import { fieldError } from '../lib/hub-error.ts';
import { scheduleRows } from '../store/rows.ts';
import { schedules, users } from '../store/schema.ts';
import { openUrl, sealUrl } from '../store/stored-address.ts';
import { deleteNamed, idOf } from './rows-by-name.ts';
import { defineSection, type SectionContext } from './section.ts';

/** Name of the user with whose permissions it runs. */
const ScheduleItem = z.object({ config: ScheduleConfig, owner: z.string() });
type ScheduleItem = z.infer<typeof ScheduleItem>;

const AlarmItem = z.union([
  z.strictObject({ name: z.literal('device rules'), rules: z.partial(DeviceAlarmRules) }),
  z.strictObject({ name: z.literal('webhook'), enabled: z.boolean() }),
]);
type AlarmItem = z.infer<typeof AlarmItem>;

const deviceRules = 'device-alarms';
const WebhookSecret = z.object({ url: WebhookSettings.shape.url, secret: WebhookSettings.shape.secret });

export function actSections({ secrets, now }: SectionContext) {
  const opened = (sealed: string | null): string | undefined => {
    try {
      return sealed === null ? undefined : secrets.open(sealed);
    } catch {
      return undefined;
    }
  };
  const webhookOf = (secret: unknown) => {
    const checked = WebhookSecret.safeParse(secret);
    if (!checked.success) throw fieldError('url', 'httpUrl', 'the address of the webhook is not one');
    return checked.data;
  };
  return [
    defineSection<ScheduleItem>({
      ...{ name: 'schedules', limit: limits.schedules.count, schema: ScheduleItem, keyOf: ({ config }) => config.name },
      read: (db) =>
        scheduleRows.list(db).map((row) => ({
          value: {
            config: {
              ...{ name: row.name, enabled: row.enabled, action: row.action, sn: row.devices },
              ...(row.start !== null && { start: row.start }),
              ...(row.stop !== null && { stop: row.stop }),
              ...(row.date === null ? { days: row.days } : { date: row.date }),
            },
            owner: row.owner,
          },
          secret: {},
        })),
      put(tx, { value: { config, owner } }) {
        const { name, enabled, action, start = null, stop = null, days = [], date = null, sn } = config;
        const ownerId = idOf(tx, users, owner) ?? 0;
        const row = {
          ...{ name, action, start, stop, days: [...days], date, devices: [...new Set(sn)], owner, ownerId },
          // Without an owner it has no permissions, so it does not run until a user saves it.
          ...{ enabled: enabled && ownerId !== 0, handledUntil: now() },
        };
        const id = idOf(tx, schedules, name);
        if (id === undefined) scheduleRows.insert(tx, { ...row, last: null, createdAt: now() });
        else scheduleRows.update(tx, id, row);
      },
      remove: (tx, key) => deleteNamed(tx, schedules, key),
      edited: (db, key) => ({ noun: 'schedule', id: idOf(db, schedules, key) ?? 0 }),
    }),
    defineSection<AlarmItem>({
      ...{ name: 'alarms', limit: 2, schema: AlarmItem, keyOf: ({ name }) => name },
      read(db) {
        const rules = readGroup(db, deviceRules as never) as Partial<DeviceAlarmRules> | undefined;
        const hook = readWebhook(db);
        const secret = hook && opened(hook.secret);
        return [
          ...(rules ? [{ value: { name: 'device rules' as const, rules }, secret: {} }] : []),
          ...(hook
            ? [
                {
                  value: { name: 'webhook' as const, enabled: hook.enabled },
                  secret: { url: openUrl(secrets, hook.url), ...(secret !== undefined && { secret }) },
                },
              ]
            : []),
        ];
      },
      check: ({ value, secret }) => void (value.name === 'webhook' && webhookOf(secret)),
      /** Without its address, no event is sent. */
      lost: () => ({ url: '' }),
      keepsSecret: () => true,
      put(tx, { value, secret }) {
        if (value.name === 'device rules') return writeGroup(tx, deviceRules as never, value.rules as never);
        const { url, secret: key = '' } = webhookOf(secret);
        const sealed = key === '' ? null : secrets.seal(key);
        writeWebhook(tx, { enabled: value.enabled && url !== '', url: sealUrl(secrets, url), secret: sealed });
      },
      edited: (_, key) =>
        key === 'webhook' ? { noun: 'webhook', id: webhookId } : { noun: 'settings', id: deviceRules },
    }),
  ];
}
