/** Channels with their inputs, keys and alarm rules. The pictures of slates are not part of the file. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import * as z from 'zod/mini';
import { AlarmRules } from '../contract/alarm-fields.ts';
import { ChannelProtocols } from '../contract/channels.ts';
import { FailoverRule } from '../contract/failover.ts';
import { limits } from '../contract/limits.ts';
import { ChannelNdiChange } from '../contract/ndi.ts';
import { ChannelName, StreamKey } from '../contract/rules.ts';
import { fieldError } from '../lib/hub-error.ts';
import type { Queries } from '../store/database.ts';
import { channelRows, deviceRows, inputRows } from '../store/rows.ts';
import { alarmRules, channels, devices, inputs } from '../store/schema.ts';
import { deleteNamed, idOf, refer } from './rows-by-name.ts';
import { defineSection, type SectionContext } from './section.ts';

const ChannelItem = z.strictObject({
  name: ChannelName,
  enabled: z.boolean(),
  protocol: ChannelProtocols,
  ndi: z.optional(ChannelNdiChange),
  /** Names of inputs, and the serial number of a device. Without any, encoders publish with the push key. */
  input: z.optional(z.string()),
  backup: z.optional(z.string()),
  device: z.optional(z.string()),
  failover: z.optional(z.partial(FailoverRule)),
  alarms: z.optional(z.partial(AlarmRules)),
});
type ChannelItem = z.infer<typeof ChannelItem>;
const Keys = z.object({ 'push-key': StreamKey, 'play-key': StreamKey });

export function channelSections({ now }: SectionContext) {
  const keysOf = (secret: unknown) => {
    const keys = Keys.safeParse(secret);
    if (!keys.success) throw fieldError('push-key', 'characters', 'a stream key has characters that it must not have');
    return { pushKey: keys.data['push-key'], playKey: keys.data['play-key'] };
  };
  return [
    defineSection<ChannelItem>({
      ...{ name: 'channels', limit: limits.channels, schema: ChannelItem, keyOf: ({ name }) => name },
      read,
      check: ({ secret }) => void keysOf(secret),
      lost: () => ({ 'push-key': randomUUID().replaceAll('-', ''), 'play-key': randomUUID().replaceAll('-', '') }),
      keepsSecret: () => true,
      put(tx, { value, secret }) {
        const { name, enabled, protocol, ndi: { enable: allowNdiHx = protocol.ndihx, ...ndi } = {}, failover } = value;
        const id = idOf(tx, channels, name);
        const known = id === undefined ? undefined : channelRows.find(tx, id);
        const row = {
          ...{ name, enabled, allowRtmp: protocol.rtmp, allowSrt: protocol.srt, allowNdiHx },
          ...{ preferredProtocol: protocol.prefer, takeover: protocol.takeover },
          ndi: Object.keys(ndi).length === 0 ? null : (ndi as never),
          failover:
            failover === undefined ? null : withPicture(failover as Partial<FailoverRule>, known?.slate ?? null),
        };
        if (known === undefined) channelRows.insert(tx, { ...row, ...keysOf(secret), createdAt: now() });
        else {
          // The file may exchange the keys of channels: until all have theirs, each has one that no other has.
          channelRows.update(tx, known.id, { ...row, pushKey: randomUUID(), playKey: randomUUID() });
        }
      },
      link(tx, { value: { name, input, backup, device, alarms }, secret }) {
        const id = idOf(tx, channels, name) ?? 0;
        channelRows.update(tx, id, {
          ...keysOf(secret),
          inputId: refer(tx, inputs, 'input', input),
          backupInputId: refer(tx, inputs, 'backup', backup),
          inputDeviceId: device === undefined ? null : deviceId(tx, device),
        });
        tx.delete(alarmRules).where(eq(alarmRules.channelId, id)).run();
        if (alarms)
          tx.insert(alarmRules)
            .values({ channelId: id, rules: alarms as Partial<AlarmRules> })
            .run();
      },
      remove: (tx, key) => deleteNamed(tx, channels, key),
      edited: (db, key) => ({ noun: 'channel', id: idOf(db, channels, key) ?? 0 }),
    }),
  ];
}

function read(db: Queries) {
  const inputNames = new Map(inputRows.list(db).map(({ id, name }) => [id, name]));
  const sns = new Map(deviceRows.list(db).map(({ id, sn }) => [id, sn]));
  const rules = new Map(
    db
      .select()
      .from(alarmRules)
      .all()
      .map((row) => [row.channelId, row.rules]),
  );
  return channelRows.list(db).map((row) => {
    const [input, backup] = [inputNames.get(row.inputId ?? 0), inputNames.get(row.backupInputId ?? 0)];
    const [device, alarms] = [sns.get(row.inputDeviceId ?? 0), rules.get(row.id)];
    const { allowRtmp: rtmp, allowSrt: srt, allowNdiHx: ndihx, takeover } = row;
    const value: ChannelItem = {
      ...{ name: row.name, enabled: row.enabled },
      protocol: { rtmp, srt, ndihx, takeover, prefer: row.preferredProtocol as ChannelProtocols['prefer'] },
      ...(row.ndi && { ndi: row.ndi as ChannelItem['ndi'] }),
      ...(input !== undefined && { input }),
      ...(backup !== undefined && { backup }),
      ...(device !== undefined && { device }),
      ...(row.failover && { failover: row.failover }),
      ...(alarms && { alarms }),
    };
    return { value, secret: { 'push-key': row.pushKey, 'play-key': row.playKey } };
  });
}

/** A channel without a picture shows bars instead. */
function withPicture(rule: Partial<FailoverRule>, picture: string | null): Partial<FailoverRule> {
  return rule.slate === 'picture' && picture === null ? { ...rule, slate: 'bars' } : rule;
}

function deviceId(tx: Queries, sn: string): number {
  const row = tx.select({ id: devices.id }).from(devices).where(eq(devices.sn, sn)).get();
  if (row === undefined) throw fieldError('device', 'notExist', `there is no device ${sn}`);
  return row.id;
}
