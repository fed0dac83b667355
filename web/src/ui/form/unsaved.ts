/**
 * Forms with typed values that are not saved. Whatever would remove such a form asks first: its dialog (Dialog.tsx), a
 * change of the address (LeaveGuard.tsx), and the browser before it closes the tab.
 */
import { useContext, useLayoutEffect, useState } from 'react';
import { DialogAround, type OpenDialog } from '../overlay/dialog-stack.ts';

interface Form {
  /** The dialog with the form; undefined: the page. */
  readonly dialog: OpenDialog | undefined;
  isDirty: boolean;
  /** Saved or given up: leaving it is no longer a loss, although it still has the typed values. */
  isReleased: boolean;
}

const forms = new Set<Form>();

/** To be called within the dialog, or on the page, that has the form. */
export function useUnsaved(isDirty: boolean): void {
  const dialog = useContext(DialogAround);
  const [form] = useState<Form>(() => ({ dialog, isDirty, isReleased: false }));
  useLayoutEffect(() => {
    form.isDirty = isDirty;
    if (!isDirty) form.isReleased = false;
  }, [form, isDirty]);
  useLayoutEffect(() => {
    forms.add(form);
    addEventListener('beforeunload', askBrowser);
    return () => {
      forms.delete(form);
      if (forms.size === 0) removeEventListener('beforeunload', askBrowser);
    };
  }, [form]);
}

/** Whether a form has unsaved values; default: any form. `dialogs`: any form in a dialog. */
export function hasUnsaved(where?: OpenDialog | 'dialogs'): boolean {
  const matches = ({ dialog }: Form) =>
    where === undefined || (where === 'dialogs' ? dialog !== undefined : dialog === where);
  return [...forms].some((form) => form.isDirty && !form.isReleased && matches(form));
}

/** The forms were saved or given up. Default: all. */
export function releaseForms(dialog?: OpenDialog): void {
  for (const form of forms) if (dialog === undefined || form.dialog === dialog) form.isReleased = true;
}

function askBrowser(event: BeforeUnloadEvent): void {
  if (hasUnsaved()) event.preventDefault();
}
