/**
 * Single-key shortcuts, without Ctrl or Alt. Users of dictation or a mouth stick trigger them by accident, so they can
 * be switched off, as WCAG 2.1.4 requires. Stored in this browser.
 */
import { useLayoutEffect } from 'react';

const storageKey = 'signalbox-single-keys';

export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off';
  } catch {
    // Storage may be blocked; then the default applies.
    return true;
  }
}

/** Returns false if the browser cannot store the setting. */
export function switchSingleKeys(isOn: boolean): boolean {
  try {
    if (isOn) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, 'off');
    return true;
  } catch {
    return false;
  }
}

/** Handles a key from the first paint of the component on, unless the user is typing or a dialog is open. */
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
