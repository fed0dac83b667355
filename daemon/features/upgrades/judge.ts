/** What the answers of a device that was told to write firmware mean. Pure. */
import { compareVersions } from '../../contract/firmware-names.ts';
import type { UpgradeFault } from '../../contract/upgrade-states.ts';
import type { FirmwareProgress, FirmwareState } from '../../devices/driver.ts';

export interface Writing {
  readonly step: 'updating' | 'rebooting';
  /** Versions before and after. */
  readonly from: string;
  readonly to: string;
  /** Milliseconds since it was told to write. */
  readonly sinceMs: number;
  /** For how many seconds it had been running then. */
  readonly uptimeS: number | undefined;
  /** Whether it has been silent since then. */
  readonly wasSilent: boolean;
  /** What it said before, and may still say. Undefined: it has said something else since then, or that is not known. */
  readonly before: FirmwareState | undefined;
  /** Whether the hub has restarted since then: it may have been killed before it told the device. */
  readonly isResumed: boolean;
  readonly restartsItself: boolean;
  /** It may take so many milliseconds to begin. */
  readonly beginMs: number;
}

export type Verdict =
  | { readonly event: 'writing'; readonly percent: number }
  /** `restart`: the hub has to restart the device. */
  | { readonly event: 'written'; readonly restart: boolean }
  | { readonly event: 'silent' | 'back' | 'again' | 'wait' }
  | { readonly event: 'fail'; readonly fault: UpgradeFault; readonly message: string };

/** `seen` is undefined if the device does not answer. */
export function judge(seen: FirmwareProgress | undefined, writing: Writing): Verdict {
  if (seen === undefined) return { event: 'silent' };
  if (seen.state === 'writing') return { event: 'writing', percent: seen.percent };
  const { from, to, restartsItself } = writing;
  const restarted = hasRestarted(seen, writing);
  const isReinstalled = compareVersions(from, to) === 0;
  if (compareVersions(seen.version, to) === 0 && (!isReinstalled || restarted)) return { event: 'back' };
  const isOld = seen.state === writing.before && !restarted;
  if (seen.state === 'failed' && !isOld) {
    return { event: 'fail', fault: 'installFailed', message: `the device gave up: ${seen.fault?.text ?? 'no reason'}` };
  }
  if (restarted) {
    return { event: 'fail', fault: 'otherVersion', message: `the device came back with version ${seen.version}` };
  }
  // To restart a device that says so of an earlier upgrade could disturb it while it begins.
  if (seen.state === 'written' && !isOld) return { event: 'written', restart: !restartsItself };
  return notWriting(writing);
}

function notWriting({ step, sinceMs, beginMs, isResumed }: Writing): Verdict {
  if (step === 'rebooting' || sinceMs <= beginMs) return { event: 'wait' };
  if (isResumed) return { event: 'again' };
  return { event: 'fail', fault: 'notStarted', message: 'the device did not begin to write' };
}

/** A device that does not state for how long it has been running has restarted if it was silent. */
function hasRestarted({ uptimeS }: FirmwareProgress, { sinceMs, uptimeS: before, wasSilent }: Writing): boolean {
  if (uptimeS === undefined) return wasSilent;
  return uptimeS < sinceMs / 1000 || (before !== undefined && uptimeS < before);
}
