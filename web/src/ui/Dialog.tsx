import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { isCurtainDown } from './Curtain.tsx';
import { restoreFocus } from './focus-return.ts';

/** The dialog has left the page by then, and the library has tried its own return. */
const afterCloseMs = 50;

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly size?: number;
  /** A click beside it doesn't close it: what it shows is never seen again. */
  readonly isHeld?: boolean;
}

/** A dialog is mounted while it is open. Its first field should carry `data-autofocus`. */
export function Dialog({ title, onClose, children, size = 480, isHeld = false }: DialogProps) {
  const { t } = useLingui();
  useEffect(returnFocus, []);
  // The library listens to Escape wherever the focus is, also when that key was pressed above this dialog.
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

/** However the dialog is left, by a button of its own too: the library knows only of its own ways to close. */
function returnFocus(): () => void {
  return () => void setTimeout(restoreFocus, afterCloseMs);
}
