import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { isCurtainDown } from './Curtain.tsx';
import { restoreFocus } from './focus-return.ts';

/** By then the dialog has been unmounted and the library has tried to restore the focus. */
const afterCloseMs = 50;

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly size?: number;
  /** A click outside does not close the dialog, because its content cannot be shown again. */
  readonly isHeld?: boolean;
}

/** A dialog is mounted only while it is open. Its first field should carry `data-autofocus`. */
export function Dialog({ title, onClose, children, size = 480, isHeld = false }: DialogProps) {
  const { t } = useLingui();
  useEffect(returnFocus, []);
  // The library handles Escape regardless of focus, even if it was pressed in a curtain above this dialog.
  const close = () => {
    if (!isCurtainDown()) onClose();
  };
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={size}
      closeOnClickOutside={!isHeld}
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      {children}
    </Modal>
  );
}

/** For every way to close, including the dialog's own buttons; the library handles only its own. */
function returnFocus(): () => void {
  return () => void setTimeout(restoreFocus, afterCloseMs);
}
