import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';

interface SaveButtonsProps {
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  readonly onDiscard: () => void;
}

/** Of a form that stands on its page: saved when something was changed, or as it was before. */
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
      {/* Never disabled by the attribute: that would take the focus from it the moment it is pressed. */}
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
