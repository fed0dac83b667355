import { SaveButtons } from '../../ui/form/SaveButtons.tsx';
import type { Edit } from '../../ui/form/useEditedForm.ts';
import { StaleButtons, staleRevision } from './SaveFault.tsx';

interface EditButtonsProps {
  readonly form: { readonly errors: object; isDirty(): boolean; reset(): void };
  readonly edit: Edit;
  readonly save: { readonly error: unknown; readonly isPending: boolean };
}

/** Buttons of a form on a page: save and discard, or the two ways to go on once another user was faster. */
export function EditButtons({ form, edit, save }: EditButtonsProps) {
  const { error, isPending: isSaving } = save;
  const stale = staleRevision({ error, errors: form.errors, edit });
  return stale === undefined ? (
    <SaveButtons isDirty={form.isDirty()} isSaving={isSaving} onDiscard={() => form.reset()} />
  ) : (
    <StaleButtons edit={edit} revision={stale} isSaving={isSaving} />
  );
}
