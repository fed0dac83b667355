import { Suspense } from 'react';
import { CallError } from '../../lib/call-error.ts';
import { deferredPart, lazyPart } from '../../lib/lazy-part.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import type { Edit } from '../../ui/form/useEditedForm.ts';

/** Rarely needed, and it includes all texts of the operation log. */
const StaleNote = lazyPart(() => import('./StaleNote.tsx'));
export const StaleButtons = deferredPart(() => import('./StaleButtons.tsx'));

interface Saving {
  readonly error: unknown;
  /** Faults already shown at their fields, so that they are not repeated. */
  readonly errors: object;
  /** Set for objects that others may edit at the same time. */
  readonly edit: Edit | undefined;
}

/** Returns the revision that another user saved first and that the form does not show yet. */
export function staleRevision({ error, errors, edit }: Saving): number | undefined {
  if (edit === undefined || !isStale(error) || Object.keys(errors).length > 0) return undefined;
  const revision = Number(error.params.revision);
  return edit.isBehind(revision) ? revision : undefined;
}

function isStale(error: unknown): error is CallError {
  return error instanceof CallError && error.fault === 'stateChanged';
}

/** Why a form was not saved: another user saved first, or any other fault without a field. */
export function SaveFault({ error, errors, edit }: Saving) {
  if (error === null || Object.keys(errors).length > 0) return null;
  const fault = <ActFault error={error} />;
  if (edit === undefined || !isStale(error)) return fault;
  if (staleRevision({ error, errors, edit }) === undefined) return null;
  return (
    <Suspense fallback={fault}>
      <StaleNote error={error} />
    </Suspense>
  );
}
