import { describe, expect, test } from 'bun:test';
import type { FirmwareProgress } from '../../devices/driver.ts';
import { judge, type Writing } from './judge.ts';

const old = '2.3.43';
const next = '2.4.288';
/** It had been running for two hours, and was told to write a minute ago. */
const told: Writing = {
  ...{ step: 'updating', from: old, to: next, sinceMs: 60_000, uptimeS: 7200, wasSilent: false, before: 'idle' },
  ...{ isResumed: false, restartsItself: false, beginMs: 30_000 },
};
const seen: FirmwareProgress = { state: 'idle', percent: 0, version: old, uptimeS: 7260 };
const restarted = { uptimeS: 5 };
const failedFor = { state: 'failed', fault: { code: 15, text: 'writing failed' } } as const;

interface Row {
  readonly name: string;
  /** Undefined: no answer. */
  readonly seen: Partial<FirmwareProgress> | undefined;
  readonly told?: Partial<Writing>;
  readonly verdict: object;
}
const rows: readonly Row[] = [
  { name: 'silence', seen: undefined, verdict: { event: 'silent' } },
  { name: 'writing', seen: { state: 'writing', percent: 40 }, verdict: { event: 'writing', percent: 40 } },
  {
    name: 'writing after a silence: it was only busy',
    seen: { state: 'writing', percent: 40 },
    told: { step: 'rebooting', wasSilent: true },
    verdict: { event: 'writing', percent: 40 },
  },
  { name: 'the new version', seen: { version: next, ...restarted }, verdict: { event: 'back' } },
  {
    name: 'the new version, spelled otherwise',
    seen: { version: '2.04.288.0', ...restarted },
    verdict: { event: 'back' },
  },
  {
    name: 'the same version as before, not restarted',
    seen: { state: 'written', version: next },
    told: { from: next },
    verdict: { event: 'written', restart: true },
  },
  {
    name: 'the same version as before, restarted',
    seen: { version: next, ...restarted },
    told: { from: next },
    verdict: { event: 'back' },
  },
  { name: 'written, to be restarted', seen: { state: 'written' }, verdict: { event: 'written', restart: true } },
  {
    name: 'written, restarts itself',
    seen: { state: 'written' },
    told: { restartsItself: true },
    verdict: { event: 'written', restart: false },
  },
  {
    name: 'gave up',
    seen: failedFor,
    verdict: { event: 'fail', fault: 'installFailed', message: 'the device gave up: writing failed' },
  },
  {
    name: 'still says that it gave up the last time',
    seen: failedFor,
    told: { before: 'failed', sinceMs: 5000 },
    verdict: { event: 'wait' },
  },
  {
    name: 'says for too long that it gave up',
    seen: failedFor,
    told: { before: 'failed' },
    verdict: { event: 'fail', fault: 'notStarted' },
  },
  {
    name: 'gave up, and restarted',
    seen: { ...failedFor, ...restarted },
    told: { before: 'failed' },
    verdict: { event: 'fail', fault: 'installFailed' },
  },
  {
    name: 'still says that it has written what it got the last time: it is not restarted',
    seen: { state: 'written' },
    told: { before: 'written', sinceMs: 5000 },
    verdict: { event: 'wait' },
  },
  {
    name: 'lost its power: restarted with the old version',
    seen: restarted,
    verdict: { event: 'fail', fault: 'otherVersion', message: 'the device came back with version 2.3.43' },
  },
  {
    name: 'says that it has written, after a restart with the old version',
    seen: { state: 'written', ...restarted },
    verdict: { event: 'fail', fault: 'otherVersion' },
  },
  {
    name: 'restarted a long time ago, while the hub was off',
    seen: { uptimeS: 4000 },
    told: { isResumed: true, step: 'rebooting' },
    verdict: { event: 'fail', fault: 'otherVersion' },
  },
  {
    name: 'does not say for how long it has been running, but was silent',
    seen: { uptimeS: undefined },
    told: { wasSilent: true, step: 'rebooting' },
    verdict: { event: 'fail', fault: 'otherVersion' },
  },
  {
    name: 'does not say for how long it has been running',
    seen: { uptimeS: undefined },
    told: { sinceMs: 5000 },
    verdict: { event: 'wait' },
  },
  { name: 'about to begin', seen: {}, told: { sinceMs: 5000 }, verdict: { event: 'wait' } },
  { name: 'did not begin', seen: {}, verdict: { event: 'fail', fault: 'notStarted' } },
  {
    name: 'was never told, because the hub was killed',
    seen: {},
    told: { isResumed: true },
    verdict: { event: 'again' },
  },
  { name: 'about to restart', seen: {}, told: { step: 'rebooting' }, verdict: { event: 'wait' } },
];

describe('a device that was told to write', () => {
  test.each([...rows])('$name', ({ seen: of, told: more, verdict }) => {
    expect(judge(of && { ...seen, ...of }, { ...told, ...more })).toMatchObject(verdict);
  });
});
