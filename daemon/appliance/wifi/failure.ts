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

/** Converts a `WifiFault` into the error of a change. Returns other errors unchanged. */
export function changeFailed(error: unknown): unknown {
  return error instanceof WifiFault ? new ChangeFailed(failures[error.reason], error.message) : error;
}
