/**
 * Polls the state of every accepted device: watched devices each second, the others more rarely the more there are, and
 * devices that do not answer after growing pauses. Random offsets keep a large fleet from being polled in lockstep.
 */

import type { DeviceApi } from '../contract/device-catalog.ts';
import type { DeviceFacts } from '../contract/device-facts.ts';
import type { DeviceProblemWord } from '../contract/device-problems.ts';
import { createEmitter } from '../lib/emitter.ts';
import { HubError } from '../lib/hub-error.ts';
import type { Log } from '../lib/log.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import type { PulledSource } from '../sources/stream-device.ts';
import type { DeviceSession, Driver, Pause, StreamUse } from './driver.ts';
import { FigureHistory } from './history.ts';
import { DeviceProblem } from './problem.ts';
import type { DeviceReport, Fleet, FleetDevice, KeptDevice } from './report.ts';

export interface Clock {
  /** Milliseconds since 1970, for times that are shown: it may be set back. */
  readonly now: () => number;
  /** Milliseconds since some time; never goes back. */
  readonly elapsed: () => number;
  /** Calls back once, unless the returned function is called before. */
  readonly after: (ms: number, then: () => void) => () => void;
  /** From 0 to 1, without 1. */
  readonly random: () => number;
}

export interface FleetTimes {
  readonly watchedMs: number;
  /** For devices without viewers, with up to 500 of them; 1,000 are polled half as often, and so on. */
  readonly unwatchedMs: number;
  readonly slowestMs: number;
  /** After the first request without an answer. */
  readonly againMs: number;
  /** Pause after the second one; each further one adds as much. */
  readonly offlineMs: number;
  readonly longestPauseMs: number;
  /** The longest pause of a device that somebody watches. */
  readonly watchedPauseMs: number;
  /** How often a device that restarts is asked whether it is back. */
  readonly silentMs: number;
  readonly pollLimitMs: number;
  readonly actLimitMs: number;
}

export interface FleetOptions {
  /** Loads a driver when the first device needs it. */
  readonly driver: (api: DeviceApi) => Promise<Driver>;
  readonly clock: Clock;
  readonly times: FleetTimes;
  readonly log: Log;
}

/**
 * Devices that are polled at the same time. The runtime has 256 places for requests: with hundreds of devices that do not
 * answer, pictures and the rest of the hub need some, too. Devices that somebody watches and that answer do not wait for
 * the others.
 */
const maxPolls = 120;
const maxWatchedPolls = 48;
const maxWaitingActs = 16;
/** Requests per second with which a starting hub polls its devices for the first time. */
const startPerSecond = 200;
const usualFleet = 500;
const newsMs = 100;

/** No repetition makes these right: the device is offline at once, and the next attempt comes late. */
const decisive: ReadonlySet<DeviceProblemWord> = new Set([
  'wrongPassword',
  'noPermission',
  'otherDevice',
  'certificateChanged',
  'certificateUnknown',
  'linkDown',
]);

export function createFleet(options: FleetOptions): Fleet {
  const { clock, times, log } = options;
  const members = new Map<string, Member>();
  const news = createEmitter<[readonly string[]]>();
  const changed = new Set<string>();
  const inTurn = createSemaphore({ atOnce: maxPolls, longestLine: Number.POSITIVE_INFINITY });
  const watchedInTurn = createSemaphore({ atOnce: maxWatchedPolls, longestLine: Number.POSITIVE_INFINITY });
  /** How often each device is held; it may be accepted only later. */
  const holds = new Map<string, number>();
  let cancelNews: (() => void) | undefined;

  function mark(sn: string): void {
    changed.add(sn);
    cancelNews ??= clock.after(newsMs, () => {
      cancelNews = undefined;
      const sns = [...changed];
      changed.clear();
      news.emit(sns);
    });
  }

  const unwatchedMs = () => {
    const ms = times.unwatchedMs * Math.max(1, members.size / usualFleet);
    return Math.min(ms, times.slowestMs);
  };
  const isHeld = (sn: string) => holds.has(sn);
  const shared: Shared = { ...options, inTurn, watchedInTurn, mark, unwatchedMs, isHeld };

  return {
    apply(devices) {
      const wanted = new Map(devices.map((device) => [device.sn, device]));
      for (const [sn, member] of members) {
        if (wanted.has(sn)) continue;
        members.delete(sn);
        member.close().catch((error) => log.error('closing a device failed', { sn, error: String(error) }));
        mark(sn);
      }
      const added: Member[] = [];
      for (const device of wanted.values()) {
        const known = members.get(device.sn);
        if (known !== undefined) known.change(device);
        else {
          const member = new Member(device, shared);
          members.set(device.sn, member);
          added.push(member);
        }
      }
      const spreadMs = (added.length / startPerSecond) * 1000;
      for (const member of added) member.pollIn(added.length === 1 ? 0 : clock.random() * spreadMs);
    },
    report: (sn) => members.get(sn)?.report,
    history(sn, steps) {
      const history = members.get(sn)?.history?.read(clock.elapsed(), steps);
      return history && { ...history, end: Math.round(history.end + clock.now() - clock.elapsed()) };
    },
    watch(onChange) {
      const stop = news.on(onChange);
      return () => void stop();
    },
    hold(sns) {
      for (const sn of sns) {
        holds.set(sn, (holds.get(sn) ?? 0) + 1);
        members.get(sn)?.pollSoon();
      }
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        for (const sn of sns) {
          const left = (holds.get(sn) ?? 0) - 1;
          if (left > 0) holds.set(sn, left);
          else holds.delete(sn);
        }
      };
    },
    async act(sn, act) {
      const member = members.get(sn);
      if (member === undefined) throw new DeviceProblem('unsupported', `${sn} is not an accepted device`);
      return await member.act(act);
    },
    renamed: (sn, name) => members.get(sn)?.renamed(name),
    async ask(sn, read) {
      const member = members.get(sn);
      if (member === undefined) throw new DeviceProblem('unsupported', `${sn} is not an accepted device`);
      return await member.ask(read);
    },
    keep(sn) {
      const member = members.get(sn);
      if (member === undefined) throw new DeviceProblem('unsupported', `${sn} is not an accepted device`);
      return member.keep();
    },
    async picture(sn) {
      const member = members.get(sn);
      if (member === undefined) throw new DeviceProblem('unsupported', `${sn} is not an accepted device`);
      return await member.picture();
    },
    async stream(sn, use) {
      const member = members.get(sn);
      if (member === undefined) throw new DeviceProblem('unsupported', `${sn} is not an accepted device`);
      return await member.stream(use);
    },
    async close() {
      cancelNews?.();
      const all = [...members.values()];
      members.clear();
      await Promise.all(all.map((member) => member.close()));
    },
  };
}

interface Shared extends FleetOptions {
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly watchedInTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly isHeld: (sn: string) => boolean;
  readonly mark: (sn: string) => void;
  readonly unwatchedMs: () => number;
}

class Member {
  report: DeviceReport;
  history: FigureHistory | undefined;
  #device: FleetDevice;
  readonly #shared: Shared;
  /** One request at a time: devices mix up the answers of two. */
  #alone = createSemaphore({ atOnce: 1, longestLine: maxWaitingActs });
  #session: Promise<DeviceSession> | undefined;
  /** Ends the requests of the present session. */
  #ending = new AbortController();
  #failures = 0;
  #cancelTimer: (() => void) | undefined;
  #nextAt = Number.POSITIVE_INFINITY;
  #isPolling = false;
  /** Whether to poll again as soon as the present request ends. */
  #pollsAgain = false;
  #isClosed = false;
  /** Nothing but the work that keeps it may ask it. */
  #isKept = false;

  constructor(device: FleetDevice, shared: Shared) {
    this.#device = device;
    this.#shared = shared;
    this.report = { connection: 'connecting', since: shared.clock.now() };
  }

  change(device: FleetDevice): void {
    const { api, transport, credentials, described } = this.#device;
    this.#device = device;
    const isSameUser =
      credentials.user === device.credentials.user && credentials.password === device.credentials.password;
    const isSameWay = transport === device.transport && described === device.described;
    if (api === device.api && isSameWay && isSameUser) return;
    void this.#endSession();
    this.#failures = 0;
    this.pollIn(0);
  }

  /** Somebody watches it now. */
  pollSoon(): void {
    if (this.#nextAt - this.#shared.clock.elapsed() > this.#shared.times.watchedMs && !this.#waits()) this.pollIn(0);
  }

  async act<T>(act: (session: DeviceSession, signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#refuseSilent();
    try {
      return await this.#use(this.#shared.times.actLimitMs, async (session, signal) => {
        this.#refuseSilent();
        const result = await act(session, signal);
        // Before the next act begins, which would otherwise be ended with the session.
        if (isPause(result)) this.#beSilent(result);
        else this.pollIn(0);
        return result;
      });
    } catch (error) {
      this.pollIn(0);
      throw refusalOf(error);
    }
  }

  renamed(name: string): void {
    const { facts } = this.report;
    if (facts) this.#show({ ...this.report, facts: { ...facts, identity: { ...facts.identity, name } } });
  }

  async ask<T>(read: (session: DeviceSession, signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#refuseSilent();
    this.#refuseOffline();
    try {
      return await this.#use(this.#shared.times.pollLimitMs, read);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  keep(): KeptDevice {
    this.#refuseKept();
    this.#isKept = true;
    this.#cancelTimer?.();
    this.#nextAt = Number.POSITIVE_INFINITY;
    const ask = <T>(work: (session: DeviceSession, signal: AbortSignal) => Promise<T>, signal: AbortSignal) =>
      this.#use([signal], work).catch((error: unknown) => {
        signal.throwIfAborted();
        throw refusalOf(error);
      });
    return {
      use: ask,
      poll: async (signal) => {
        const limit = AbortSignal.timeout(this.#shared.times.pollLimitMs);
        const facts = await ask((session, of) => session.poll(AbortSignal.any([of, limit])), signal);
        if (!this.#isClosed) this.#showFacts(facts);
        return facts;
      },
      release: () => {
        this.#isKept = false;
        this.pollIn(0);
      },
    };
  }

  async stream(use: StreamUse): Promise<PulledSource | undefined> {
    this.#refuseKept();
    this.#refuseOffline();
    return await this.#use(this.#shared.times.pollLimitMs, async (session, signal) => session.stream?.(use, signal));
  }

  async picture(): Promise<Uint8Array> {
    this.#refuseKept();
    this.#refuseOffline();
    return await this.#use(this.#shared.times.pollLimitMs, async (session, signal) => {
      if (session.snapshot === undefined) throw new DeviceProblem('unsupported', 'the device has no picture');
      return await session.snapshot(signal);
    });
  }

  pollIn(ms: number): void {
    if (this.#isClosed || this.#isKept) return;
    const { clock } = this.#shared;
    this.#cancelTimer?.();
    this.#nextAt = clock.elapsed() + ms;
    this.#cancelTimer = clock.after(ms, () => {
      this.#nextAt = Number.POSITIVE_INFINITY;
      void this.#poll();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#endSession();
  }

  async #poll(): Promise<void> {
    this.#pollsAgain = this.#isPolling;
    if (this.#isPolling) return;
    this.#isPolling = true;
    const poll = () => this.#use(this.#shared.times.pollLimitMs, (session, signal) => session.poll(signal));
    const device = this.#device;
    const { isHeld, inTurn, watchedInTurn } = this.#shared;
    try {
      const facts = await (isHeld(device.sn) && this.#failures === 0 ? watchedInTurn(poll) : inTurn(poll));
      if (this.#isClosed || device !== this.#device) return;
      this.#showFacts(facts);
    } catch (error) {
      if (!this.#isClosed && device === this.#device) this.#fail(problemOf(error));
    } finally {
      this.#isPolling = false;
      if (this.#pollsAgain) this.pollIn(0);
      // An act or a change of the device has set another time.
      else if (this.#nextAt === Number.POSITIVE_INFINITY && !this.#isLockedOut()) this.pollIn(this.#pause());
    }
  }

  #showFacts(facts: DeviceFacts): void {
    const { sn } = this.#device;
    if (facts.identity.sn !== sn)
      throw new DeviceProblem('otherDevice', `a device with the serial number ${facts.identity.sn} answers`);
    this.#failures = 0;
    const now = this.#shared.clock.now();
    this.history ??= new FigureHistory();
    this.history.add(facts, this.#shared.clock.elapsed());
    this.#show({ ...this.#moved('online', now), facts });
  }

  #fail({ word, message }: DeviceProblem): void {
    // It was expected not to answer well.
    if (this.#silentMs() > 0 && word !== 'wrongPassword') return;
    this.#failures += 1;
    const now = this.#shared.clock.now();
    const isOffline = this.#failures > 1 || decisive.has(word) || this.report.connection === 'offline';
    const { facts } = this.report;
    const next = isOffline
      ? this.#moved('offline', now)
      : { connection: this.report.connection, since: this.report.since };
    this.#show({ ...next, problem: { word, message }, ...(facts && { facts }) });
  }

  /** Milliseconds until the next request. */
  #pause(): number {
    const { times, clock, unwatchedMs } = this.#shared;
    const silentMs = this.#silentMs();
    if (silentMs > 0) return Math.min(silentMs, times.silentMs);
    if (this.#waits()) return times.longestPauseMs;
    const isWatched = this.#shared.isHeld(this.#device.sn);
    if (this.#failures === 0) return isWatched ? times.watchedMs : spread(unwatchedMs(), clock.random());
    if (this.#failures === 1) return times.againMs;
    const longest = isWatched ? times.watchedPauseMs : times.longestPauseMs;
    return spread(Math.min(times.offlineMs * (this.#failures - 1), longest), clock.random());
  }

  /** Devices lock an account after a few wrong passwords, so only a change of the password leads to another attempt. */
  #isLockedOut(): boolean {
    return this.report.problem?.word === 'wrongPassword';
  }

  /** Whether polling again soon is useless. */
  #waits(): boolean {
    const word = this.report.problem?.word;
    return word !== undefined && decisive.has(word);
  }

  /** Milliseconds for which it is expected not to answer. */
  #silentMs(): number {
    return (this.report.silentUntil ?? 0) - this.#shared.clock.elapsed();
  }

  #refuseOffline(): void {
    if (this.report.connection !== 'online') throw new DeviceProblem('unreachable', 'the device is not online');
  }

  #refuseKept(): void {
    if (this.#isKept) throw new DeviceProblem('busy', 'its firmware is being upgraded');
  }

  #refuseSilent(): void {
    this.#refuseKept();
    const silentMs = this.#silentMs();
    if (silentMs > 0) throw new DeviceProblem('busy', `restarting, back in ${Math.ceil(silentMs / 1000)} s`);
  }

  #beSilent({ silentMs }: Pause): void {
    const { clock } = this.#shared;
    if (silentMs > 0) {
      const [silentUntil, pauseUntil] = [clock.elapsed() + silentMs, Math.round(clock.now() + silentMs)];
      this.#show({ ...this.report, silentUntil, pauseUntil });
    }
    void this.#endSession();
    // It may be back sooner; before half of the time, it may answer as before, because it has not started to restart.
    this.pollIn(silentMs / 2);
  }

  #moved(connection: DeviceReport['connection'], now: number) {
    const isSame = this.report.connection === connection;
    return { connection, since: isSame ? this.report.since : now };
  }

  #show(report: DeviceReport): void {
    this.report = report;
    this.#shared.mark(this.#device.sn);
  }

  async #use<T>(
    limit: number | readonly AbortSignal[],
    work: (session: DeviceSession, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return await this.#alone(async () => {
      if (this.#isClosed) throw new DeviceProblem('unsupported', 'no longer an accepted device');
      const limits = typeof limit === 'number' ? [AbortSignal.timeout(limit)] : limit;
      const signal = AbortSignal.any([this.#ending.signal, ...limits]);
      this.#session ??= this.#open();
      const session = await this.#session;
      return await work(session, signal);
    });
  }

  async #open(): Promise<DeviceSession> {
    const { api, transport, credentials, described } = this.#device;
    const driver = await this.#shared.driver(api);
    return driver.open(transport, credentials, described);
  }

  async #endSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#ending.abort(new DeviceProblem('unreachable', 'the connection was ended'));
    this.#ending = new AbortController();
    await session?.then((open) => open.close()).catch(() => {});
  }
}

/** From 80 % to 120 % of a time. */
const spread = (ms: number, random: number) => ms * (0.8 + 0.4 * random);

function isPause(value: unknown): value is Pause {
  return typeof value === 'object' && value !== null && 'silentMs' in value && typeof value.silentMs === 'number';
}

function refusalOf(error: unknown): DeviceProblem {
  return error instanceof HubError
    ? new DeviceProblem('busy', 'too many requests wait for this device')
    : problemOf(error);
}

function problemOf(error: unknown): DeviceProblem {
  if (error instanceof DeviceProblem) return error;
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  if (isLate) return new DeviceProblem('timeout', 'no complete response in time');
  return new DeviceProblem('invalidAnswer', error instanceof Error ? error.message : String(error));
}
