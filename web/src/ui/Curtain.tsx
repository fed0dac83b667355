import { type ReactNode, type SyntheticEvent, useLayoutEffect, useRef } from 'react';
import styles from './Curtain.module.css';

interface CurtainProps {
  /** Of its heading. */
  readonly titleId: string;
  readonly children: ReactNode;
}

/**
 * The browser's own dialog: it lies above open dialogs of ours and makes all of them inert. It stays until whoever has
 * put it there takes it away, and gives the focus back then.
 */
export function Curtain({ titleId, children }: CurtainProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} className={styles.card} aria-labelledby={titleId} onCancel={stay} onClose={reopen}>
      <div className={styles.content}>{children}</div>
    </dialog>
  );
}

/** Whether one is there: what lies below must not hear the keys that are meant for it. */
export function isCurtainDown(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

function stay(event: SyntheticEvent) {
  event.preventDefault();
}

/** Browsers let nobody refuse a second Escape. */
function reopen({ currentTarget }: SyntheticEvent<HTMLDialogElement>) {
  if (currentTarget.isConnected && !currentTarget.open) currentTarget.showModal();
}
