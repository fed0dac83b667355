import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { askToDiscard } from '../form/ask-to-discard.ts';
import { hasUnsaved, releaseForms } from '../form/unsaved.ts';
import { isCurtainDown } from './Curtain.tsx';
import styles from './Dialog.module.css';
import { DialogAround, useOpenDialog } from './dialog-stack.ts';
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

/**
 * A dialog is mounted only while it is open. Its first field should carry `data-autofocus`. With unsaved values it
 * ignores clicks outside, and asks before it closes.
 */
export function Dialog({ title, onClose, children, size = 480, isHeld = false }: DialogProps) {
  const { t, i18n } = useLingui();
  useEffect(returnFocus, []);
  const own = useOpenDialog((dialog) => {
    // Escape may have been pressed in a curtain above this dialog.
    if (isCurtainDown()) return;
    if (!hasUnsaved(dialog)) return onClose();
    askToDiscard(i18n, () => {
      releaseForms(dialog);
      onClose();
    });
  });
  const closeFromOutside = () => {
    if (!isHeld && !hasUnsaved(own)) own.close();
  };
  return (
    <Modal
      opened
      onClose={() => own.close()}
      title={title}
      size={size}
      closeOnEscape={false}
      closeOnClickOutside={false}
      overlayProps={{ backgroundOpacity: 0.55, onClick: closeFromOutside }}
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      <div ref={takeFirstFocus} tabIndex={-1} className={styles.content}>
        <DialogAround value={own}>{children}</DialogAround>
      </div>
    </Modal>
  );
}

/**
 * Content without a field of its own for the first focus gets it as a whole; the button that closes never does. The
 * library sets the first focus twice, the second time after the first picture: it must not take it from where the user
 * has gone in between.
 */
function takeFirstFocus(content: HTMLElement | null): void {
  if (content === null) return;
  if (content.querySelector('[data-autofocus]') === null) content.dataset.autofocus = 'true';
  content.addEventListener('focusin', ({ target }) => {
    for (const marked of [content, ...content.querySelectorAll<HTMLElement>('[data-autofocus]')])
      delete marked.dataset.autofocus;
    if (target instanceof HTMLElement) target.dataset.autofocus = 'true';
  });
}

/** For every way to close, including the dialog's own buttons; the library handles only its own. */
function returnFocus(): () => void {
  return () => void setTimeout(restoreFocus, afterCloseMs);
}
