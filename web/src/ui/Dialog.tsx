import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { restoreFocus } from './focus-return.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly size?: number;
}

/** A dialog is mounted while it is open. Its first field should carry `data-autofocus`. */
export function Dialog({ title, onClose, children, size = 480 }: DialogProps) {
  const { t } = useLingui();
  const close = () => {
    onClose();
    // After the dialog has left the page and the library has tried its own return.
    setTimeout(restoreFocus, 50);
  };
  return (
    <Modal opened onClose={close} title={title} size={size} closeButtonProps={{ 'aria-label': t`Close` }}>
      {children}
    </Modal>
  );
}
