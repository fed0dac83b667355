/**
 * Keys that act alone, without Ctrl or Alt. Who dictates or types with a stick sets them off by accident: they can be
 * switched off, as WCAG 2.1.4 demands. Kept in this browser.
 */
import { useLayoutEffect } from 'react';

const storageKey = 'signalbox-single-keys';

export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off';
  } catch {
    // Storage may be forbidden; nothing could be chosen then.
    return true;
  }
}

/** False where the browser keeps nothing. */
export function switchSingleKeys(isOn: boolean): boolean {
  try {
    if (isOn) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, 'off');
    return true;
  } catch {
    return false;
  }
}

/** Acts on a key from the moment that the component can be seen, unless one is typing or a dialog is open. */
export function useSingleKey(key: string, act: () => void): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || !areSingleKeysOn()) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [key, act]);
}

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('[aria-modal="true"],dialog[open]') !== null) return true;
  return target instanceof HTMLElement && target.closest('input,textarea,select,[role="dialog"]') !== null;
}
