/** The only place that reads `result`. All callers get either the response or a `CallError`. */
import type { LaterChange } from '../../../daemon/contract/logs.ts';
import {
  type Failure,
  type FieldFault,
  type ResultName,
  resultName,
  results,
} from '../../../daemon/contract/result.ts';

/** Faults below the API. */
type TransportFault = 'unreachable' | 'requestTimeout' | 'unexpectedAnswer';

/** `unknownCode`: a code of a newer hub that this console does not know. */
export type Fault = Exclude<ResultName, 'success'> | TransportFault | 'unknownCode';

interface CallErrorOptions {
  readonly code?: number | undefined;
  readonly params?: Failure['params'] | undefined;
  readonly fields?: readonly FieldFault[] | undefined;
  readonly later?: readonly LaterChange[] | undefined;
}

export class CallError extends Error {
  readonly fault: Fault;
  readonly code: number | undefined;
  readonly params: Readonly<Record<string, string | number>>;
  readonly fields: readonly FieldFault[];
  /** Changes by others since the revision that was sent, newest first. */
  readonly later: readonly LaterChange[];

  constructor(fault: Fault, { code, params = {}, fields = [], later = [] }: CallErrorOptions = {}) {
    super(fault);
    this.name = 'CallError';
    this.fault = fault;
    this.code = code;
    this.params = params;
    this.fields = fields;
    this.later = later;
  }

  /** The same call with `force: true` may succeed. */
  get isForceable(): boolean {
    const row = results[this.fault as ResultName];
    return row !== undefined && 'forceable' in row;
  }

  /** The same call may succeed later. */
  get isRetryable(): boolean {
    if (this.fault === 'unreachable' || this.fault === 'requestTimeout') return true;
    const row = results[this.fault as ResultName];
    return row !== undefined && 'retryable' in row;
  }
}

export function faultOf(error: unknown): Fault | undefined {
  return error instanceof CallError ? error.fault : undefined;
}

export function readAnswer(body: unknown): object {
  if (typeof body !== 'object' || body === null || !('result' in body) || typeof body.result !== 'number') {
    throw new CallError('unexpectedAnswer');
  }
  if (body.result === results.success.code) return body;
  throw callErrorOf(body as Failure);
}

export function callErrorOf({
  result: code,
  params,
  fields,
  later,
}: Omit<Failure, 'params'> & Pick<CallErrorOptions, 'params'>): CallError {
  const name = resultName(code);
  return new CallError(name === undefined || name === 'success' ? 'unknownCode' : name, {
    code,
    params,
    fields,
    later,
  });
}
