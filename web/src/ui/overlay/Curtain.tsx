import { type ReactNode, type SyntheticEvent, useLayoutEffect, useRef } from 'react';
import styles from './Curtain.module.css';

interface CurtainProps {
  /** Id of the heading. */
  readonly titleId: string;
  /** Leaves the page readable, in grey: its state is no longer current. */
  readonly showsPage?: boolean;
  readonly children: ReactNode;
}

/**
 * A native dialog, which is above our other dialogs and makes all of them inert. It stays until the component is
 * unmounted, and then returns the focus.
 */
export function Curtain({ titleId, showsPage = false, children }: CurtainProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.card}
      data-shows-page={showsPage || undefined}
      aria-labelledby={titleId}
      onCancel={stay}
      onClose={reopen}
    >
      <div className={styles.content}>{children}</div>
    </dialog>
  );
}

/** Whether a curtain is open: elements below it must not handle its keys. */
export function isCurtainDown(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

function stay(event: SyntheticEvent) {
  event.preventDefault();
}

/** Browsers do not allow a second Escape to be canceled. */
function reopen({ currentTarget }: SyntheticEvent<HTMLDialogElement>) {
  if (currentTarget.isConnected && !currentTarget.open) currentTarget.showModal();
}
