import type { AppliancePart, PartFault } from '../contract/appliance-parts.ts';
import { HubError } from '../lib/hub-error.ts';

/** A part of the operating system that a call needs does not work. As a result of a call, it names the part. */
export class MissingPart extends HubError {
  readonly part: AppliancePart;
  readonly fault: PartFault;

  constructor(part: AppliancePart, fault: PartFault, message: string) {
    super('unsupported', `${part}: ${message}`, { params: { part, fault } });
    this.part = part;
    this.fault = fault;
  }
}

/** For the answer of a `get`. Rethrows any other error. */
export function missingOf(error: unknown): { readonly part: AppliancePart; readonly fault: PartFault } {
  if (error instanceof MissingPart) return { part: error.part, fault: error.fault };
  throw error;
}
