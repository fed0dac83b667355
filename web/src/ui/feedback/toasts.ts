import { create } from 'zustand';

interface Toast {
  readonly id: number;
  readonly tone: 'success' | 'error';
  readonly text: string;
  /** Toasts with the same code replace each other instead of piling up. */
  readonly code: string;
  /** Reverses what the toast reports; shown as a button. */
  readonly undo?: (() => void) | undefined;
}

const maxShown = 3;
const successMs = 4000;
const undoMs = 6000;

export const useToasts = create<{ readonly list: readonly Toast[] }>(() => ({ list: [] }));

let lastId = 0;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

export function dismissToast(id: number): void {
  holdToast(id);
  useToasts.setState(({ list }) => ({ list: list.filter((toast) => toast.id !== id) }));
}

/** Keeps a toast open, while the pointer or the focus is on it. */
export function holdToast(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

/** Closes a toast after its usual time; an error stays open. */
export function releaseToast({ id, tone, undo }: Toast): void {
  holdToast(id);
  if (tone === 'error') return;
  const ms = undo === undefined ? successMs : undoMs;
  timers.set(
    id,
    setTimeout(() => dismissToast(id), ms),
  );
}

/** A success disappears by itself; an error stays until it is closed. */
export function showToast(tone: Toast['tone'], text: string, code = text): void {
  show({ tone, text, code });
}

/** Reports something done, with a button that reverses it. */
export function showUndo(text: string, undo: () => void, code = text): void {
  show({ tone: 'success', text, code, undo });
}

function show(content: Omit<Toast, 'id'>): void {
  lastId += 1;
  const toast: Toast = { id: lastId, ...content };
  useToasts.setState(({ list }) => ({
    list: [...list.filter((other) => other.code !== content.code), toast].slice(-maxShown),
  }));
  releaseToast(toast);
}
