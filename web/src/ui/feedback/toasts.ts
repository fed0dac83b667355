import { create } from 'zustand';

interface Toast {
  readonly id: number;
  readonly tone: 'success' | 'error';
  readonly text: string;
  /** Toasts with the same code replace each other instead of piling up. */
  readonly code: string;
  /** Reverses what the toast reports; shown as a button. */
  readonly undo?: (() => void) | undefined;
  /** Path of the page that shows the object of the toast. */
  readonly path?: string | undefined;
}

const maxShown = 3;
const successMs = 4000;
/** With a button. */
const actMs = 6000;

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
export function releaseToast({ id, tone, undo, path }: Toast): void {
  holdToast(id);
  if (tone === 'error') return;
  const ms = undo === undefined && path === undefined ? successMs : actMs;
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

/** Reports that an object was added, with a link that opens it. */
export function showAdded(text: string, path: string): void {
  show({ tone: 'success', text, code: text, path });
}

function show(content: Omit<Toast, 'id'>): void {
  lastId += 1;
  const toast: Toast = { id: lastId, ...content };
  useToasts.setState(({ list }) => ({
    list: [...list.filter((other) => other.code !== content.code), toast].slice(-maxShown),
  }));
  releaseToast(toast);
}
