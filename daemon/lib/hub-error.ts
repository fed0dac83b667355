import type { LaterChange } from '../contract/logs.ts';
import { type Failure, type FieldFault, type ResultName, results } from '../contract/result.ts';

interface HubErrorOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly fields?: readonly FieldFault[];
  readonly later?: readonly LaterChange[];
  /** The users who made all later changes; undefined if some are unknown. Not sent. */
  readonly editors?: readonly string[] | undefined;
  /** Overrides the status of the result table, for faults below the API (foreign origin, body too large). */
  readonly http?: number;
}

/** A failure that the caller may know about. Any other thrown error is a bug. */
export class HubError extends Error {
  readonly result: ResultName;
  readonly http: number;
  readonly params: HubErrorOptions['params'];
  readonly fields: HubErrorOptions['fields'];
  readonly later: HubErrorOptions['later'];
  readonly editors: HubErrorOptions['editors'];

  constructor(result: ResultName, message: string, options: HubErrorOptions = {}) {
    super(message);
    this.name = 'HubError';
    this.result = result;
    this.http = options.http ?? results[result].http;
    this.params = options.params;
    this.fields = options.fields;
    this.later = options.later;
    this.editors = options.editors;
  }

  body(): Failure {
    return {
      result: results[this.result].code,
      message: this.message,
      ...(this.params && { params: this.params }),
      ...(this.fields && { fields: this.fields }),
      ...(this.later && { later: this.later }),
    };
  }
}

/** A field that broke a rule which a schema cannot check (uniqueness, a port in use). */
export function fieldError(path: string, rule: string, message: string, params?: FieldFault['params']): HubError {
  const fault: FieldFault = { path, rule, message, ...(params && { params }) };
  return new HubError('invalidArgument', `${path}: ${message}`, { fields: [fault] });
}
