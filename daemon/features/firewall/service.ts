/** The firewall: what is configured, and that the packet filter is that. */

import { isIP } from 'node:net';
import type { ConfirmedChanges } from '../../appliance/confirmed-change/confirmed-changes.ts';
import { ChangeFailed, type ChangeKind } from '../../appliance/confirmed-change/kind.ts';
import type { FirewallPort } from '../../appliance/firewall/port.ts';
import type { FirewallReading, FirewallSetup } from '../../appliance/firewall/setup.ts';
import { type Asker, byHub } from '../../appliance/helper/operations.ts';
import { MissingPart } from '../../appliance/missing-part.ts';
import type { Missing } from '../../contract/appliance.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { Firewall, firewallApi } from '../../contract/firewall.ts';
import type { FirewallProtocolCode, FirewallState } from '../../contract/firewall-words.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { hubActor } from '../../http/actor.ts';
import type { Actor, Session } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import type { Log } from '../../lib/log.ts';
import { notExist, tooMany } from '../../lib/refusals.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { type Database, transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import type { Timing } from '../../timing.ts';
import type { Audit, AuditEntry } from '../logs/audit.ts';
import { type Listeners, listeningPorts } from './listening.ts';
import { describeRule, type FirewallRules, isOpen, labelOf, modeChange, setupOf, storedRules } from './rules.ts';
import { firewallEdit, nextRuleId, ruleEdit, writeAll } from './store.ts';

export interface FirewallDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly log: Log;
  readonly filter: FirewallPort;
  /** Names of the network interfaces that are filtered; undefined while they are unknown. */
  readonly wan: () => Promise<readonly string[] | undefined>;
  /** Ports of the console that are open at present. */
  readonly consolePorts: () => readonly number[];
  /** Where the hub waits for connections from other machines. */
  readonly listeners: () => Listeners;
  readonly changes: () => Promise<ConfirmedChanges>;
  readonly timing: Timing['firewall'];
}

export interface Caller {
  readonly actor: Actor;
  readonly session: Session;
}

interface ToConfirm {
  readonly token?: string;
  readonly 'confirm-by-s': number;
}

/** What the journal keeps of a change that waits to be confirmed. */
interface Trial {
  readonly next: FirewallRules;
  readonly asker: Asker;
}

export type FirewallService = ReturnType<typeof createFirewallService>;

const nothing: FirewallReading = { fingerprint: null, counters: [], refused: { packets: 0, bytes: 0 } };
/** The second Ethernet port of a machine whose ports are not known yet. */
const usualWan = ['eth1'];
const longestLine = 16;
/** Time in which a final change takes effect; until then no other change begins. */
const finalSeconds = 60;

export function createFirewallService(deps: FirewallDeps) {
  const { db, audit, log, filter, timing } = deps;
  const news = createEmitter();
  const inTurn = createSemaphore({ atOnce: 1, longestLine });
  let stored = storedRules(db);
  /** In effect instead of what is stored, until it is confirmed. */
  let trial: FirewallRules | undefined;
  let wan: readonly string[] = usualWan;
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** What was applied last, and what the packet filter was then. */
  let applied: { readonly setup: FirewallSetup; readonly fingerprint: string | null } | undefined;
  let reading = nothing;
  let state: FirewallState = 'unknown';
  let reason: string | undefined;
  let missing: Missing = [];
  let timer: Timer | undefined;
  let watchers = 0;
  let isClosed = false;

  if (stored.isDamaged) log.error('stored rules of the firewall are damaged: only the console is open');

  const configured = (): FirewallRules => trial ?? stored;
  const setupNow = (rules = configured()) => setupOf(rules, { wan, console: deps.consolePorts() });
  const note = (next: FirewallReading): void => {
    reading = next;
    [missing, reason] = [[], undefined];
    state = stored.isDamaged ? 'damaged' : 'applied';
    news.emit();
  };
  const noteFault = (error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error);
    if (reason !== text) log.error('the firewall is not as configured', { reason: text });
    missing = error instanceof MissingPart ? [{ part: error.part, fault: error.fault }] : [];
    [state, reason] = [error instanceof MissingPart ? 'unknown' : 'failed', text];
    news.emit();
  };
  /** The ports of the machine rarely change. */
  const lookAtPorts = async (everyMs: number): Promise<void> => {
    if (performance.now() - lookedAt < everyMs) return;
    wan = (await deps.wan()) ?? wan;
    lookedAt = performance.now();
  };
  const apply = async (rules: FirewallRules, asker: Asker): Promise<void> => {
    await lookAtPorts(0);
    const setup = setupNow(rules);
    const next = await filter.apply(setup, asker);
    applied = { setup, fingerprint: next.fingerprint };
    note(next);
  };

  /** What someone changed by hand is restored. Names of interfaces and ports of the console may be different ones. */
  async function check(): Promise<void> {
    try {
      await lookAtPorts(timing.checkMs);
      const now = await filter.read();
      const isSame = applied?.fingerprint === now.fingerprint;
      if (applied && isSame && Bun.deepEquals(setupNow(), applied.setup)) {
        note(now);
        return;
      }
      const wasChanged = applied !== undefined && !isSame;
      await apply(configured(), byHub);
      if (!wasChanged) return;
      log.warn('the firewall was changed from outside the hub and is restored');
      audit.note(db, hubActor, { action: 'firewall.restore', subject: '' });
    } catch (error) {
      noteFault(error);
    }
  }
  const checkInTurn = () => inTurn(check).catch(() => {});
  function schedule(): void {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => void checkInTurn().finally(schedule), watchers > 0 ? timing.watchedMs : timing.checkMs);
    timer.unref();
  }

  /** Whatever the packet filter refuses is not stored. */
  async function change(
    { actor, session: { user, token } }: Caller,
    next: FirewallRules,
    entry: AuditEntry,
    seconds = 0,
  ): Promise<ToConfirm> {
    const asker = { user: actor.name, address: isIP(actor.ip) === 0 ? '' : actor.ip };
    const changes = await deps.changes();
    if (seconds > 0) {
      const userId = token ? null : user.id;
      const waiting = { kind: 'firewall', change: { next, asker }, user: actor.name, userId, seconds } as const;
      const secret = await changes.begin(waiting);
      const limit: OperationChange = { word: 'confirmWithin', value: String(seconds) };
      audit.record(db, actor, { ...entry, changes: [...(entry.changes ?? []), limit] });
      return { token: secret, 'confirm-by-s': seconds };
    }
    const release = changes.claim({ kind: 'firewall', user: actor.name, seconds: finalSeconds, isFinal: true });
    try {
      await apply(next, asker);
      try {
        transaction<void>(db, (tx) => {
          writeAll(tx, next);
          audit.record(tx, actor, entry);
        });
      } catch (error) {
        await apply(stored, byHub).catch(noteFault);
        throw error;
      }
      stored = storedRules(db);
      note(reading);
    } finally {
      release();
    }
    return { 'confirm-by-s': 0 };
  }
  const ruleOf = (id: number) => {
    const rule = configured().rules.find((one) => one.id === id);
    if (!rule) throw notExist('rule', id);
    return rule;
  };

  /** For changes that wait to be confirmed. The console stays open, so that they take effect before the answer. */
  const kind: ChangeKind<Trial, Trial> = {
    async prepare(wanted) {
      await apply(wanted.next, wanted.asker);
      trial = wanted.next;
      return wanted;
    },
    async apply() {
      if (trial === undefined) throw new ChangeFailed('other', 'the change was undone meanwhile');
    },
    seal: async () => true,
    save: ({ next, asker }) =>
      inTurn(async () => {
        transaction<void>(db, (tx) => writeAll(tx, next));
        stored = storedRules(db);
        trial = undefined;
        await apply(stored, asker);
      }),
    revert: () =>
      inTurn(async () => {
        trial = undefined;
        await apply(stored, byHub);
      }),
  };

  function shown(): Firewall {
    const setup = applied?.setup ?? setupNow();
    const { mode, rules } = configured();
    const counters = new Map(reading.counters.map(({ id, ...traffic }) => [id, traffic]));
    return {
      ...{ revision: revisionOf(db, firewallEdit), mode },
      rules: rules.map((rule) => ({
        ...{ ...rule, revision: revisionOf(db, ruleEdit(rule.id)) },
        ...(counters.get(rule.id) ?? { packets: 0, bytes: 0 }),
      })),
      ...{ wan: [...setup.wan], console: [...setup.console], refused: reading.refused },
      listening: listeningPorts(deps.listeners()).map((one) => ({ ...one, open: isOpen(setup, one) })),
      ...{ state, missing: [...missing] },
      ...(state === 'failed' && reason !== undefined && { reason }),
    };
  }

  return {
    kind,
    /** Makes the packet filter what is configured, and keeps it so. */
    async start(): Promise<void> {
      await checkInTurn();
      schedule();
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
    shown,
    /** With counters that have just been read. */
    async get(): Promise<Firewall> {
      await inTurn(check);
      return shown();
    },
    onChange: news.on,
    /** Reads the counters often until the returned function is called. */
    watch(): () => void {
      watchers += 1;
      if (watchers === 1) void checkInTurn().finally(schedule);
      return () => {
        watchers -= 1;
      };
    },
    /** Call when the ports of the console have changed. */
    refresh: checkInTurn,
    set: (caller: Caller, { mode, revision, 'confirm-within': seconds }: BodyOf<typeof firewallApi.set>) =>
      inTurn(async () => {
        refuseStale(db, firewallEdit, 'firewall', revision);
        const entry = { action: 'firewall.set', subject: '', changes: [modeChange(mode)], edited: [firewallEdit] };
        const isSame = mode === configured().mode && !stored.isDamaged;
        const answer = isSame ? { 'confirm-by-s': 0 } : await change(caller, { ...configured(), mode }, entry, seconds);
        return { ...answer, revision: revisionOf(db, firewallEdit) };
      }),
    addRule: (caller: Caller, { 'confirm-within': seconds, ...body }: BodyOf<typeof firewallApi.addRule>) =>
      inTurn(async () => {
        const { mode, rules } = configured();
        if (rules.length >= limits.firewall.count) throw tooMany('rules', limits.firewall.count);
        const { port, remark = '', enabled = true } = body;
        const protocol = body.protocol as FirewallProtocolCode;
        const rule = { id: nextRuleId(db), port, protocol, remark, enabled, revision: 1 };
        const facts = describeRule({ remark, ...(!enabled && { enabled }) });
        const entry = { action: 'firewall.addRule', subject: labelOf(rule), changes: facts };
        return { ...(await change(caller, { mode, rules: [...rules, rule] }, entry, seconds)), id: rule.id };
      }),
    setRule: (caller: Caller, body: BodyOf<typeof firewallApi.setRule>) =>
      inTurn(async () => {
        const { id, revision, 'confirm-within': seconds, ...fields } = body;
        const rule = ruleOf(id);
        refuseStale(db, ruleEdit(id), labelOf(rule), revision);
        const differs = Object.entries(fields).filter(([name, value]) => value !== rule[name as keyof typeof fields]);
        if (differs.length === 0) return { 'confirm-by-s': 0, revision: revisionOf(db, ruleEdit(id)) };
        const difference = Object.fromEntries(differs) as Partial<typeof rule>;
        const { mode, rules } = configured();
        const next = { mode, rules: rules.map((one) => (one.id === id ? { ...one, ...difference } : one)) };
        const facts = describeRule(difference);
        const entry = { action: 'firewall.setRule', subject: labelOf(rule), changes: facts, edited: [ruleEdit(id)] };
        const answer = await change(caller, next, entry, seconds);
        return { ...answer, revision: revisionOf(db, ruleEdit(id)) };
      }),
    delRule: (caller: Caller, { id, 'confirm-within': seconds }: BodyOf<typeof firewallApi.delRule>) =>
      inTurn(async () => {
        const gone = [...new Set([id].flat())].map(ruleOf);
        const { mode, rules } = configured();
        const next = { mode, rules: rules.filter((rule) => !gone.includes(rule)) };
        const subject = gone.map(labelOf).join(', ');
        return await change(caller, next, { action: 'firewall.delRule', subject }, seconds);
      }),
  };
}
