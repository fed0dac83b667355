import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';

interface SaveButtonsProps {
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  readonly onDiscard: () => void;
}

/** Save and discard buttons of a form on a page. */
export function SaveButtons({ isDirty, isSaving, onDiscard }: SaveButtonsProps) {
  const { t } = useLingui();
  const canSave = isDirty && !isSaving;
  return (
    <>
      {isDirty && (
        <Button variant="default" disabled={isSaving} onClick={onDiscard}>
          <Trans>Discard</Trans>
        </Button>
      )}
      {/* Not disabled with the attribute, which would remove the focus at the moment of the click. */}
      <Button
        type="submit"
        aria-busy={isSaving}
        {...(!canSave && { 'data-disabled': true, 'aria-disabled': true })}
        {...(!isDirty && { title: t`Nothing was changed` })}
      >
        <Trans>Save</Trans>
      </Button>
    </>
  );
}
