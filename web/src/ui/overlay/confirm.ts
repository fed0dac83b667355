import { create } from 'zustand';

export interface Confirm {
  readonly title: string;
  /** What will happen to which object. */
  readonly consequence: string;
  /** The verb on the button. */
  readonly verb: string;
  /** On the button that closes the dialog. Default: Cancel. */
  readonly keep?: string;
  readonly isDangerous?: boolean;
  /** Wording if the hub reports that the object is in use and the act must be forced; `by`: what uses the object. */
  readonly forced?: { readonly consequence: (by: string) => string; readonly verb: string };
  /** A rejection is shown in the dialog, which stays open. */
  readonly run: (force: boolean) => Promise<unknown>;
  /** Message once it is done. */
  readonly done?: string;
}

export const useConfirm = create<{ readonly open: Confirm | undefined }>(() => ({ open: undefined }));

export function confirm(question: Confirm): void {
  useConfirm.setState({ open: question });
}

export function closeConfirm(): void {
  useConfirm.setState({ open: undefined });
}
