import { Suspense } from 'react';
import { CallError } from '../../lib/call-error.ts';
import { lazyPart } from '../../lib/lazy-part.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import type { Edit } from '../../ui/form/useEditedForm.ts';

/** Rarely needed, and it includes all texts of the operation log. */
const StaleNote = lazyPart(() => import('./StaleNote.tsx'));

interface SaveFaultProps {
  readonly error: unknown;
  /** Faults already shown at their fields, so that they are not repeated. */
  readonly errors: object;
  /** Set for objects that others may edit at the same time. */
  readonly edit: Edit | undefined;
}

/** Why a form was not saved: another user saved first, or any other fault without a field. */
export function SaveFault({ error, errors, edit }: SaveFaultProps) {
  if (error === null || Object.keys(errors).length > 0) return null;
  const fault = <ActFault error={error} />;
  if (edit === undefined || !(error instanceof CallError) || error.fault !== 'stateChanged') return fault;
  if (!edit.isBehind(Number(error.params.revision))) return null;
  return (
    <Suspense fallback={fault}>
      <StaleNote error={error} edit={edit} />
    </Suspense>
  );
}
