import { expect, test } from 'bun:test';
import { type UpgradeStep, upgradeSteps } from '../../contract/upgrade-states.ts';
import { isEnded, isWriting, nextStep, type UpgradeEvent, upgradeEvents } from './state.ts';

/** Every pair of step and event: where it leads, in the order of `upgradeEvents`; `-` for what cannot happen. */
const expected: Readonly<Record<UpgradeStep, string>> = {
  //           begin     sent      taken    writing  written   silent    back      fail   cancel   resume    again
  waiting: '   uploading -         -        -        -         -         -         failed canceled waiting   -',
  uploading: ' -         verifying -        -        -         -         succeeded failed canceled waiting   -',
  verifying: ' -         -         updating -        -         -         -         failed canceled waiting   -',
  updating: '  -         -         -        updating rebooting rebooting succeeded failed -        updating  waiting',
  rebooting: ' -         -         -        updating rebooting rebooting succeeded failed -        rebooting waiting',
  succeeded: ' -         -         -        -        -         -         -         -      -        -         -',
  failed: '    -         -         -        -        -         -         -         -      -        -         -',
  canceled: '  -         -         -        -        -         -         -         -      -        -         -',
};

test.each(upgradeSteps.map((step) => [step]))('%s leads only where the table says', (step) => {
  const wanted = expected[step].trim().split(/\s+/);
  expect(wanted).toHaveLength(upgradeEvents.length);
  expect(upgradeEvents.map((event) => nextStep(step, event) ?? '-')).toEqual(wanted as never);
});

test('every step can be reached, and from each one an end', () => {
  const from = (step: UpgradeStep): Set<UpgradeStep> => {
    const seen = new Set<UpgradeStep>([step]);
    for (const one of seen) {
      for (const event of upgradeEvents) {
        const next = nextStep(one, event);
        if (next !== undefined) seen.add(next);
      }
    }
    return seen;
  };
  expect(from('waiting')).toEqual(new Set(upgradeSteps));
  for (const step of upgradeSteps) expect([...from(step)].some(isEnded)).toBe(true);
});

test('a device that may be writing is never canceled, and never gets a file unless the hub has restarted', () => {
  for (const step of upgradeSteps.filter(isWriting)) {
    expect(nextStep(step, 'cancel')).toBeUndefined();
    const others = upgradeEvents.filter((event) => event !== 'again') as UpgradeEvent[];
    expect(others.map((event) => nextStep(step, event))).not.toContain('uploading');
    expect(others.map((event) => nextStep(step, event))).not.toContain('waiting');
  }
});
