/** Reads and changes alarms: the rules, the operation log entry and the transaction. */
import { isIP } from 'node:net';
import type { AlarmRules } from '../../contract/alarm-fields.ts';
import { defaultAlarmRules, type RuleKind, ruleKinds } from '../../contract/alarm-kinds.ts';
import { isCommon } from '../../contract/alarm-severity.ts';
import type { Alarm, alarmApi } from '../../contract/alarms.ts';
import type { BodyOf, QueryOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Actor, Session } from '../../http/route.ts';
import { httpPortOf } from '../../lib/fetch-from.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { type OutgoingRules, refusalOf } from '../../lib/outgoing.ts';
import { bareAddress } from '../../lib/outgoing-address.ts';
import { movedSecret, serverOf } from '../../sources/kept-secrets.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { type Edited, refuseStale, revisionOf } from '../../store/revisions.ts';
import { channelRows } from '../../store/rows.ts';
import type { Audit } from '../logs/audit.ts';
import { viewAlarm } from './monitor.ts';
import { type AlarmSight, isAdmin } from './sight.ts';
import {
  type AlarmPage,
  alarmedDevices,
  deleteClearedAlarms,
  listAlarms,
  listRules,
  webhookId,
  writeRules,
} from './store.ts';
import type { AlarmWebhook, WebhookChange } from './webhook.ts';

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };
interface AlarmServiceDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly webhook: AlarmWebhook;
  /** The addresses that the webhook may use. */
  readonly outgoing: () => OutgoingRules;
  /** Current state of the alarms that could not be stored yet. */
  readonly unsaved: () => readonly Alarm[];
  readonly active: () => readonly Alarm[];
  readonly sight: AlarmSight;
}

export type AlarmService = ReturnType<typeof createAlarmService>;

export function createAlarmService(deps: AlarmServiceDeps) {
  const { db, audit, webhook, outgoing, unsaved, active, sight } = deps;
  const nameOf = (channelId: number): string => channelRows.existing(db, channelId).name;
  const load = () => new Map([...listRules(db)].map(([id, rules]) => [id, { ...defaultAlarmRules, ...rules }]));
  /** Undefined after a change. */
  let known: ReturnType<typeof load> | undefined;
  const rulesNow = (channelId: number): AlarmRules => {
    known ??= load();
    return known.get(channelId) ?? defaultAlarmRules;
  };

  const hiddenFrom = (session: Session): AlarmPage['hidden'] => {
    if (isAdmin(session)) return undefined;
    const devices = alarmedDevices(db).filter((sn) => !sight.device(session, sn));
    const ids = active().flatMap((alarm) => (isCommon(alarm) && !sight.alarm(session, alarm) ? [alarm.id] : []));
    return { devices, ids };
  };

  return {
    list(session: Session, query: QueryOf<typeof alarmApi.list>): { start: number; total: number; list: Alarm[] } {
      const { start = 0, count = limits.page.default, channel, severity, device } = query;
      const from = Math.floor(start);
      const isActive = query.active === undefined ? undefined : query.active !== 0;
      const page = { start: from, count, isActive, channelId: channel, severity, device, hidden: hiddenFrom(session) };
      const seen = unsaved().filter((alarm) => sight.alarm(session, alarm));
      const { total, list } = withUnsaved(db, page, seen);
      return { start: from, total, list: list.map((alarm) => sight.shown(session, alarm)) };
    },
    /** Throws `notExist` for an unknown channel. */
    rules(channelId: number): { rules: AlarmRules; revision: number } {
      nameOf(channelId);
      return { rules: rulesNow(channelId), revision: revisionOf(db, rulesEdit(channelId)) };
    },
    /** The same for the monitor, which reads the rules every second. */
    rulesNow,
    /** Returns the new revision. */
    setRules(actor: Actor, { channel: channelId, rules: given, revision }: BodyOf<typeof alarmApi.setRules>): number {
      const subject = nameOf(channelId);
      const before = rulesNow(channelId);
      const rules = withoutHoles(before, given);
      const changes = ruleKinds
        .filter((kind) => text(before, kind) !== text(rules, kind))
        .map((kind) => ruleChange(kind, rules[kind]));
      const made = transaction<number>(db, (tx) => {
        const edited = rulesEdit(channelId);
        refuseStale(tx, edited, subject, revision);
        writeRules(tx, channelId, rules);
        audit.record(tx, actor, { action: 'alarm.rules', subject, changes, edited: [edited] });
        return revisionOf(tx, edited);
      });
      known = undefined;
      return made;
    },
    /** Gives a new channel the rules of another one. */
    copyRules(tx: Queries, { from, to }: { readonly from: number; readonly to: number }): void {
      const rules = listRules(tx).get(from);
      if (rules === undefined) return;
      writeRules(tx, to, rules);
      known = undefined;
    },
    clearHistory(actor: Actor, channelId: number | undefined): void {
      const subject = channelId === undefined ? '' : nameOf(channelId);
      transaction<void>(db, (tx) => {
        deleteClearedAlarms(tx, channelId);
        audit.record(tx, actor, { action: 'alarm.clear', subject });
      });
    },
    webhookRevision: (): number => revisionOf(db, webhookEdit),
    /** Returns the full URL after recording the access in the operation log. */
    revealWebhook: (actor: Actor): string =>
      transaction<string>(db, (tx) => {
        const entry = { action: 'settings.reveal', subject: webhookSubject } as const;
        audit.record(tx, actor, entry);
        return webhook.view().url;
      }),
    /** Returns the new revision. */
    setWebhook(actor: Actor, change: WebhookChange, basedOn: number | undefined): number {
      if (change.enabled && change.url === '') throw fieldError('url', 'required', 'an address is required');
      if (change.enabled) refuseAddress(change.url, outgoing());
      const before = webhook.view();
      const isMoved = change.url !== '' && serverOf(change) !== serverOf(before);
      if (isMoved && before['secret-set'] && change.secret === undefined) throw movedSecret('secret', 'secret');
      const made = transaction<number>(db, (tx) => {
        const subject = webhookSubject;
        refuseStale(tx, webhookEdit, subject, basedOn);
        webhook.change(tx, change);
        const changes = webhookChanges(before.url, change);
        audit.record(tx, actor, { action: 'settings.set', subject, changes, edited: [webhookEdit] });
        return revisionOf(tx, webhookEdit);
      });
      webhook.wake({ isNewTarget: true });
      return made;
    },
  };
}

const webhookSubject = 'alarm-webhook';
/** Checks an IP address in the URL; a host name is checked when a delivery resolves it. */
function refuseAddress(url: string, rules: OutgoingRules): void {
  const target = new URL(url);
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const refusal = isIP(host) === 0 ? undefined : refusalOf(bareAddress(host), { port: httpPortOf(target) }, rules);
  if (refusal !== undefined) throw fieldError('url', 'addressNotAllowed', refusal);
}

const webhookEdit: Edited = { noun: 'webhook', id: webhookId };

function rulesEdit(channelId: number): Edited {
  return { noun: 'alarmRules', id: channelId };
}

function withoutHoles(before: AlarmRules, given: Optional<AlarmRules>): AlarmRules {
  const set = Object.fromEntries(Object.entries(given).filter(([, rule]) => rule !== undefined));
  return { ...before, ...set };
}

function text(rules: AlarmRules, kind: RuleKind): string {
  return JSON.stringify(ruleChange(kind, rules[kind]));
}

/** Units that are the same in every language. */
const units: Readonly<Record<string, string>> = {
  ...{ seconds: 's', kbps: 'kbit/s', 'per-minute': '/min', percent: '%', celsius: '°C' },
};

/** As the operation log has it. */
export function ruleChange(kind: string, { enable, ...numbers }: { readonly enable: boolean }): OperationChange {
  if (!enable) return { word: 'alarmOff', value: kind };
  const values = Object.entries(numbers).map(([name, value]) => `${value} ${units[name]}`);
  return { word: 'alarmOn', value: `${kind} ${values.join(', ')}` };
}

/** The path of a webhook URL is effectively a password, so only the origin is logged. */
function webhookChanges(before: string, { enabled, url, secret }: WebhookChange): OperationChange[] {
  return [
    ...(url === before || url === '' ? [] : [{ word: 'address', value: new URL(url).origin } as const]),
    ...(secret === undefined ? [] : [{ word: secret === '' ? 'noSecret' : 'secret' } as const]),
    { word: 'enabled', value: String(enabled) },
  ];
}

/** Replaces stored alarms with their versions that could not be stored yet. */
function withUnsaved(db: Database, page: AlarmPage, unsaved: readonly Alarm[]): { total: number; list: Alarm[] } {
  if (unsaved.length === 0) {
    const { total, list } = listAlarms(db, page);
    return { total, list: list.map(viewAlarm) };
  }
  const { start, count, isActive, channelId, severity, device, hidden } = page;
  const stored = listAlarms(db, {
    start: 0,
    count: limits.alarms,
    isActive: undefined,
    channelId,
    severity: undefined,
    device,
    hidden,
  }).list.map(viewAlarm);
  const byId = new Map([...stored, ...unsaved].map((alarm) => [alarm.id, alarm]));
  const all = [...byId.values()]
    .filter((alarm) => channelId === undefined || (alarm.channel === channelId && alarm.device === undefined))
    .filter((alarm) => device === undefined || alarm.device === device)
    .filter((alarm) => severity === undefined || alarm.severity === severity)
    .filter(({ cleared }) => isActive === undefined || (cleared === 0) === isActive)
    .toSorted((a, b) => b.id - a.id);
  return { total: all.length, list: all.slice(start, start + count) };
}
