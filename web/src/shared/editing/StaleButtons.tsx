import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { Edit } from '../../ui/form/useEditedForm.ts';

interface StaleButtonsProps {
  readonly edit: Edit | undefined;
  /** The revision that another user saved. */
  readonly revision: number;
  readonly isSaving: boolean;
}

/** In place of the save button once another user was faster: the two ways to go on. */
export default function StaleButtons({ edit, revision, isSaving }: StaleButtonsProps) {
  return (
    <>
      <Button variant="default" disabled={isSaving} onClick={() => edit?.discard(revision)}>
        <Trans>Discard mine and load theirs</Trans>
      </Button>
      {/* Saves the typed values again, now based on the revision that the note names. */}
      <Button type="submit" variant="default" loading={isSaving} onClick={() => edit?.accept(revision)}>
        <Trans>Overwrite with mine</Trans>
      </Button>
    </>
  );
}
