import { useLayoutEffect } from 'react';

/** The keys that open the palette, as labeled on the user's keyboard. */
export const paletteKeys: readonly string[] = [/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl', 'K'];

/** Ctrl+K or Cmd+K. Ignored while a dialog is open, which may contain typed values. */
export function usePaletteKey(open: () => void): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isKey =
        event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isKey) return;
      event.preventDefault();
      if (document.querySelector('[aria-modal="true"],dialog[open]') === null) open();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [open]);
}
