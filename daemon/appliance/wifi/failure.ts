import type { ChangeFailure } from '../../contract/network-states.ts';
import { ChangeFailed } from '../confirmed-change/kind.ts';
import { WifiFault, type WifiFaultReason } from './port.ts';

const failures: Readonly<Record<WifiFaultReason, ChangeFailure>> = {
  wrongKey: 'wrongKey',
  notFound: 'outOfRange',
  noAddress: 'noDhcp',
  timeout: 'timeout',
  refused: 'accessPoint',
  noAdapter: 'other',
};

/** Why a change of Wi-Fi could not take effect. Errors that are no `WifiFault` stay what they are. */
export function changeFailed(error: unknown): unknown {
  return error instanceof WifiFault ? new ChangeFailed(failures[error.reason], error.message) : error;
}
