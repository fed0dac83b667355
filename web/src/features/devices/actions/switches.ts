/** Pairs of actions that start and stop something, and the facts that say whether and how long it runs. */
import type { DeviceAction } from '../../../../../daemon/contract/device-actions.ts';

export interface Switch {
  readonly start: DeviceAction;
  readonly stop: DeviceAction;
  readonly fact: 'recording' | 'living';
  readonly seconds: 'recording-s' | 'living-s';
}

export const switches: readonly Switch[] = [
  { start: 'record-start', stop: 'record-stop', fact: 'recording', seconds: 'recording-s' },
  { start: 'live-start', stop: 'live-stop', fact: 'living', seconds: 'living-s' },
  { start: 'quick-start', stop: 'quick-stop', fact: 'living', seconds: 'living-s' },
];
