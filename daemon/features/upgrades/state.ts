/** The steps of the upgrade of one device. Pure: which event leads from which step to which. */
import type { UpgradeStep } from '../../contract/upgrade-states.ts';

/**
 * `begin`: its turn has come. `sent`: the device has the whole file. `taken`: it accepted the file, and is told to write.
 * `writing`, `written`: it says so. `silent`: it does not answer. `back`: it runs the new version. `fail`: for any reason.
 * `cancel`: by a user. `resume`: the hub has restarted. `again`: after that, a device that was told to write is found to
 * do nothing and not to have restarted, so that it gets the file once more.
 */
export const upgradeEvents = [
  'begin',
  'sent',
  'taken',
  'writing',
  'written',
  'silent',
  'back',
  'fail',
  'cancel',
  'resume',
  'again',
] as const;
export type UpgradeEvent = (typeof upgradeEvents)[number];

const ended = {} as const;

const transitions: Readonly<Record<UpgradeStep, Readonly<Partial<Record<UpgradeEvent, UpgradeStep>>>>> = {
  waiting: { begin: 'uploading', fail: 'failed', cancel: 'canceled', resume: 'waiting' },
  uploading: {
    sent: 'verifying',
    // It runs the version already: another hub was faster.
    back: 'succeeded',
    fail: 'failed',
    cancel: 'canceled',
    resume: 'waiting',
  },
  verifying: { taken: 'updating', fail: 'failed', cancel: 'canceled', resume: 'waiting' },
  // From here on nothing ends it but the device, and time.
  updating: {
    writing: 'updating',
    written: 'rebooting',
    silent: 'rebooting',
    back: 'succeeded',
    fail: 'failed',
    resume: 'updating',
    again: 'waiting',
  },
  rebooting: {
    writing: 'updating',
    written: 'rebooting',
    silent: 'rebooting',
    back: 'succeeded',
    fail: 'failed',
    resume: 'rebooting',
    again: 'waiting',
  },
  succeeded: ended,
  failed: ended,
  canceled: ended,
};

/** Undefined: the event cannot happen in this step. */
export function nextStep(step: UpgradeStep, event: UpgradeEvent): UpgradeStep | undefined {
  return transitions[step][event];
}

export const isEnded = (step: UpgradeStep): boolean => transitions[step] === ended;

/** Whether the device may be writing: it must not be disturbed, and its upgrade cannot be canceled. */
export const isWriting = (step: UpgradeStep): boolean => step === 'updating' || step === 'rebooting';
