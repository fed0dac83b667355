import { lazy, Suspense } from 'react';
import { CallError } from '../api/result.ts';
import type { Edit } from '../lib/useEditedForm.ts';
import { ActFault } from './ActFault.tsx';

/** Rarely needed: it knows the words of the whole operation log. */
const StaleNote = lazy(() => import('../features/editing/StaleNote.tsx'));

interface SaveFaultProps {
  readonly error: unknown;
  /** Faults that stand at their fields: what went wrong isn't said twice. */
  readonly errors: object;
  /** Of what others may edit at the same time. */
  readonly edit: Edit | undefined;
}

/** Why a form was not saved: somebody else was faster, or whatever else has no field of its own. */
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
