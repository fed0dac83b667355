/**
 * Where the focus goes when a dialog closes. The library returns it to what had it when the dialog opened; for a
 * dialog opened from a menu that is the menu item, which is gone by then. So the last focus outside of menus and
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

/** For the moment after a dialog has closed: does nothing when the focus already is somewhere. */
export function restoreFocus(): void {
  const active = document.activeElement;
  if (active !== null && active !== document.body && active.isConnected) return;
  const heading = document.querySelector<HTMLElement>('main h1');
  (last?.isConnected ? last : heading)?.focus();
}
