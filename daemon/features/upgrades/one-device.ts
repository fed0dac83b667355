/** Upgrades one device: sends the file, tells the device to write it, and finds out what becomes of that. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ItemUpgrade } from '../../contract/device-upgrade-fields.ts';
import { compareVersions } from '../../contract/firmware-names.ts';
import type { UpgradeFault } from '../../contract/upgrade-states.ts';
import type { FirmwareProgress, FirmwareState, FirmwareUpgrade } from '../../devices/driver.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import type { KeptDevice } from '../../devices/report.ts';
import type { HubError } from '../../lib/hub-error.ts';
import { faultOf, isSilence, upgradeError } from './faults.ts';
import { isBusy } from './fit.ts';
import { judge, type Verdict, type Writing } from './judge.ts';
import { isEnded, isWriting, nextStep, type UpgradeEvent } from './state.ts';

export interface UpgradeTimes {
  /** How often a device is asked while it writes or restarts. */
  readonly lookMs: number;
  readonly askMs: number;
  /** A device that was told to write begins within this time. */
  readonly beginMs: number;
  /** It makes progress within this time while it writes. */
  readonly stallMs: number;
  /** It is back within this time when it restarts. */
  readonly backMs: number;
  /** A device that does not answer when its turn comes has this time to do so. */
  readonly patienceMs: number;
  /** The same after a restart of the hub, which devices and their agents have to find again. */
  readonly returnMs: number;
}

export interface OneUpgrade {
  /** Keeps the device; called once. */
  readonly keep: () => Promise<KeptDevice>;
  /** The file as the device gets it; each call reads it from its beginning. Rejects if there is none. */
  readonly file: (signal: AbortSignal) => Promise<{
    readonly name: string;
    readonly bytes: number;
    readonly read: () => AsyncIterable<Uint8Array>;
  }>;
  readonly known: ItemUpgrade;
  /** Whether the hub has restarted since the upgrade began. */
  readonly isResumed: boolean;
  readonly times: UpgradeTimes;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A user cancels, or the hub stops. */
  readonly signal: AbortSignal;
  /** The hub stops. */
  readonly stopping: AbortSignal;
  show(upgrade: ItemUpgrade): void;
  /** Returns whether it is stored. */
  store(upgrade: ItemUpgrade): boolean;
  /** From now on the upgrade cannot be canceled. */
  onWriting(): void;
}

/** Resolves when the device runs the new version. Rejects with the reason if it does not, or with that of a signal. */
export async function upgradeDevice(one: OneUpgrade): Promise<void> {
  const { times, now, signal, stopping, isResumed } = one;
  let upgrade = one.known;
  /** Stores what a restart of the hub must know. */
  const go = (event: UpgradeEvent, more: Partial<ItemUpgrade> = {}): void => {
    const step = nextStep(upgrade.step, event);
    if (step === undefined) throw new Error(`${event} while ${upgrade.step}`);
    const isNew = step !== upgrade.step;
    upgrade = { ...upgrade, step, ...(isNew && { percent: 0 }), ...more };
    // The end is stored with the result: a hub that is killed between them would know the one without the other.
    if (isNew && !isEnded(step)) one.store(upgrade);
    else one.show(upgrade);
  };
  const end = (event: 'back' | 'fail' | 'cancel') => go(event, { ended: now() });
  const device = await one.keep().catch((error: unknown) => {
    end('fail');
    throw faultOf(error, 'offline');
  });

  const within = (of: AbortSignal) => AbortSignal.any([of, AbortSignal.timeout(times.askMs)]);
  const look = (of: AbortSignal): Promise<FirmwareProgress> =>
    device.use((session, ending) => firmwareOf(session).progress(AbortSignal.any([ending, within(of)])), of);

  /** What the device answers; undefined if it does not. */
  const lookOrSilence = async (of: AbortSignal): Promise<FirmwareProgress | undefined> => {
    try {
      return await look(of);
    } catch (error) {
      of.throwIfAborted();
      // While it starts, a device may refuse the password that it accepts a moment later.
      if (isSilence(error) || (error instanceof DeviceProblem && error.word === 'wrongPassword')) return undefined;
      throw faultOf(error, 'lost');
    }
  };

  /** The state before the file is sent. */
  async function firstLook(): Promise<FirmwareProgress> {
    const until = performance.now() + (isResumed ? times.returnMs : times.patienceMs);
    for (;;) {
      try {
        const facts = await device.poll(signal);
        const seen = await look(signal);
        if (seen.state === 'writing' || isBusy(facts.identity.api, facts)) {
          throw upgradeError(
            'busy',
            'the device records, is live, or does something else that must not be interrupted',
          );
        }
        return seen;
      } catch (error) {
        signal.throwIfAborted();
        if (!isSilence(error) || performance.now() >= until) throw faultOf(error, 'offline');
        await wait(times.lookMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }

  async function send(): Promise<FirmwareProgress | undefined> {
    go('begin', { started: upgrade.started || now() });
    const before = await firstLook();
    const { from, to } = upgrade;
    // The hub was killed before it could store the end.
    if (isResumed && compareVersions(before.version, to) === 0 && compareVersions(from, to) !== 0) return undefined;
    const file = await one.file(signal);
    const read = async function* () {
      let sent = 0;
      for await (const part of file.read()) {
        yield part;
        sent += part.byteLength;
        const percent = Math.floor((sent / file.bytes) * 100);
        if (percent === upgrade.percent || upgrade.step !== 'uploading') continue;
        upgrade = { ...upgrade, percent };
        one.show(upgrade);
      }
      go('sent');
    };
    try {
      await device.use(
        (session, ending) => firmwareOf(session).upload({ ...file, read }, AbortSignal.any([ending, signal])),
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, 'uploadFailed');
    }
    signal.throwIfAborted();
    // A device may answer before it has read the last byte.
    if (upgrade.step === 'uploading') go('sent');
    return before;
  }

  async function tell({ uptimeS }: FirmwareProgress): Promise<void> {
    one.onWriting();
    const told = { 'writing-since': now(), ...(uptimeS !== undefined && { 'uptime-s': uptimeS }) };
    const writing = { ...upgrade, ...told };
    // Whatever happens now, the next hub must know that the device may be writing.
    if (!one.store({ ...writing, step: 'updating', percent: 0 })) {
      throw upgradeError('noSpace', 'the hub cannot store that the device is told to write');
    }
    go('taken', told);
    try {
      await device.use((session, ending) => firmwareOf(session).start(AbortSignal.any([ending, stopping])), stopping);
    } catch (error) {
      stopping.throwIfAborted();
      // A device that does not answer may have started to write: what it says next decides.
      if (!isSilence(error)) throw faultOf(error, 'refused');
    }
  }

  async function restart(): Promise<void> {
    try {
      await device.use(async (session, ending) => {
        if (session.reboot === undefined) throw new DeviceProblem('unsupported', 'the hub cannot restart the device');
        await session.reboot(AbortSignal.any([ending, stopping]));
      }, stopping);
    } catch (error) {
      stopping.throwIfAborted();
      if (!isSilence(error)) throw faultOf(error, 'refused');
    }
  }

  /** Returns whether the device is to get the file again. */
  async function follow(saidBefore: FirmwareState | undefined): Promise<boolean> {
    const restartsItself = await device.use(async (session) => firmwareOf(session).restartsItself, stopping);
    const toldAgo = () => Math.max(0, now() - (upgrade['writing-since'] ?? 0));
    const [resumedMs, resumedAt] = [toldAgo(), performance.now()];
    let before = saidBefore;
    let wasSilent = false;
    let isRestarted = false;
    let changedAt = performance.now();
    for (;;) {
      const seen = await lookOrSilence(stopping);
      if (seen !== undefined && seen.state !== before) before = undefined;
      const writing: Writing = {
        step: upgrade.step === 'rebooting' ? 'rebooting' : 'updating',
        ...{ from: upgrade.from, to: upgrade.to, uptimeS: upgrade['uptime-s'] },
        // The clock of the system may be set.
        sinceMs: resumedMs + performance.now() - resumedAt,
        ...{ wasSilent, before, restartsItself, isResumed, beginMs: times.beginMs },
      };
      const verdict = judge(seen, writing);
      if (verdict.event === 'fail') throw upgradeError(verdict.fault, verdict.message);
      if (verdict.event === 'back') return false;
      if (verdict.event === 'again') {
        go('again');
        return true;
      }
      wasSilent ||= verdict.event === 'silent';
      if (isProgress(verdict)) changedAt = performance.now();
      if (verdict.event === 'writing') go('writing', { percent: verdict.percent });
      else if (verdict.event !== 'wait') go(verdict.event);
      if (verdict.event === 'written' && verdict.restart && !isRestarted) {
        isRestarted = true;
        await restart();
      }
      const limitMs = upgrade.step === 'rebooting' ? times.backMs : times.stallMs;
      if (performance.now() - changedAt > limitMs) throw late(upgrade.step);
      await wait(times.lookMs, undefined, { signal: stopping }).catch(() => stopping.throwIfAborted());
    }
  }

  /** Whether the device has come further, so that its time begins again. */
  function isProgress(verdict: Verdict): boolean {
    if (verdict.event === 'writing') return verdict.percent !== upgrade.percent || upgrade.step !== 'updating';
    return (verdict.event === 'written' || verdict.event === 'silent') && upgrade.step !== 'rebooting';
  }

  try {
    go('resume');
    let isToBeSent = !isWriting(upgrade.step);
    if (!isToBeSent) one.onWriting();
    let said: FirmwareState | undefined;
    do {
      if (isToBeSent) {
        const before = await send();
        if (before === undefined) break;
        said = before.state;
        await tell(before);
      }
      isToBeSent = await follow(said);
    } while (isToBeSent);
    end('back');
  } catch (error) {
    stopping.throwIfAborted();
    end(signal.aborted && !isWriting(upgrade.step) ? 'cancel' : 'fail');
    throw error;
  } finally {
    device.release();
  }
}

function firmwareOf(session: { readonly firmware?: FirmwareUpgrade }): FirmwareUpgrade {
  if (session.firmware === undefined)
    throw new DeviceProblem('unsupported', 'the hub cannot upgrade the firmware of this device');
  return session.firmware;
}

function late(step: ItemUpgrade['step']): HubError {
  const fault: UpgradeFault = 'timeout';
  if (step === 'rebooting') return upgradeError(fault, 'the device did not come back in time');
  return upgradeError(fault, 'the device made no progress in time');
}
