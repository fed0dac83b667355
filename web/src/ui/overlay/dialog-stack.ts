/** The open dialogs. Escape reaches only the topmost one: the library would close every dialog that is open. */
import { createContext, useEffect, useLayoutEffect, useState } from 'react';

export interface OpenDialog {
  /** Closes it as its close button does: with a question if a form has unsaved values. */
  close: () => void;
}

/** The dialog around a component. */
export const DialogAround = createContext<OpenDialog | undefined>(undefined);

const stack: OpenDialog[] = [];

/** Registers a dialog while it is mounted. */
export function useOpenDialog(closeOf: (dialog: OpenDialog) => void): OpenDialog {
  const [dialog] = useState<OpenDialog>(() => ({ close() {} }));
  useLayoutEffect(() => {
    dialog.close = () => closeOf(dialog);
  });
  useEffect(() => {
    if (stack.push(dialog) === 1) addEventListener('keydown', onKey, true);
    return () => {
      stack.splice(stack.indexOf(dialog), 1);
      if (stack.length === 0) removeEventListener('keydown', onKey, true);
    };
  }, [dialog]);
  return dialog;
}

function onKey({ key, isComposing, target }: KeyboardEvent): void {
  if (key !== 'Escape' || isComposing) return;
  // The library's mark at a field whose list is open: the key closes the list.
  if (target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true') return;
  stack.at(-1)?.close();
}
