import { create } from 'zustand';

interface Toast {
  readonly id: number;
  readonly tone: 'success' | 'error';
  readonly text: string;
  /** Toasts with the same code replace each other instead of piling up. */
  readonly code: string;
}

const maxShown = 3;
const successMs = 4000;

export const useToasts = create<{ readonly list: readonly Toast[] }>(() => ({ list: [] }));

let lastId = 0;

export function dismissToast(id: number): void {
  useToasts.setState(({ list }) => ({ list: list.filter((toast) => toast.id !== id) }));
}

/** A success disappears by itself; an error stays until it is closed. */
export function showToast(tone: Toast['tone'], text: string, code = text): void {
  lastId += 1;
  const toast: Toast = { id: lastId, tone, text, code };
  useToasts.setState(({ list }) => ({
    list: [...list.filter((other) => other.code !== code), toast].slice(-maxShown),
  }));
  if (tone === 'success') setTimeout(() => dismissToast(toast.id), successMs);
}
