/** The alarm rules of all devices, one row of the settings. */
import { eq } from 'drizzle-orm';
import type { DeviceAlarmRules } from '../../contract/alarm-fields.ts';
import { type DeviceRuleKind, defaultDeviceAlarmRules, deviceRuleKinds } from '../../contract/alarm-kinds.ts';
import type { alarmApi } from '../../contract/alarms.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { Actor } from '../../http/route.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { type Edited, refuseStale, revisionOf } from '../../store/revisions.ts';
import { settings } from '../../store/schema.ts';
import type { Audit } from '../logs/audit.ts';
import { ruleChange } from './service.ts';

const name = 'device-alarms';
const edited: Edited = { noun: 'settings', id: name };

export function createDeviceRules({ db, audit }: { readonly db: Database; readonly audit: Audit }) {
  let known = read(db);
  return {
    /** The same for the monitor, which reads the rules every second. */
    now: (): DeviceAlarmRules => known,
    get: () => ({ rules: known, revision: revisionOf(db, edited) }),
    /** Returns the new revision. */
    set(actor: Actor, { rules: given, revision }: BodyOf<typeof alarmApi.setDeviceRules>): number {
      const before = known;
      const set = Object.fromEntries(Object.entries(given).filter(([, rule]) => rule !== undefined));
      const rules: DeviceAlarmRules = { ...before, ...set };
      const textOf = (of: DeviceAlarmRules, kind: DeviceRuleKind) => JSON.stringify(of[kind]);
      const changes = deviceRuleKinds
        .filter((kind) => textOf(before, kind) !== textOf(rules, kind))
        .map((kind) => ruleChange(kind, rules[kind]));
      const made = transaction<number>(db, (tx) => {
        refuseStale(tx, edited, name, revision);
        write(tx, rules);
        audit.record(tx, actor, { action: 'settings.set', subject: name, changes, edited: [edited] });
        return revisionOf(tx, edited);
      });
      known = rules;
      return made;
    },
  };
}

function read(db: Queries): DeviceAlarmRules {
  const row = db.select({ value: settings.value }).from(settings).where(eq(settings.name, name)).get();
  return { ...defaultDeviceAlarmRules, ...(row && (JSON.parse(row.value) as Partial<DeviceAlarmRules>)) };
}

function write(db: Queries, rules: DeviceAlarmRules): void {
  const value = JSON.stringify(rules);
  db.insert(settings).values({ name, value }).onConflictDoUpdate({ target: settings.name, set: { value } }).run();
}
