/**
 * Restores the focus when a dialog closes. The library returns it to the element that had it when the dialog opened;
 * for a dialog opened from a menu that is the menu item, which no longer exists. So the last focus outside of menus and
 * dialogs is remembered: for a menu that is its button.
 */
let last: HTMLElement | undefined;

export function trackFocus(): void {
  document.addEventListener('focusin', (event) => {
    const target = event.target;
    if (
      target instanceof HTMLElement &&
      target.closest('dialog,[role="menu"],[role="dialog"],[role="listbox"]') === null
    ) {
      last = target;
    }
  });
}

/** To be called just after a dialog has closed: does nothing if an element already has the focus. */
export function restoreFocus(): void {
  const active = document.activeElement;
  if (active !== null && active !== document.body && active.isConnected) return;
  const heading = document.querySelector<HTMLElement>('main h1');
  (last?.isConnected ? last : heading)?.focus();
}
