import { type RefObject, useEffect, useRef, useState } from 'react';

/** Distance from the visible part of the page within which a row counts as near, in pixels. */
const nearPx = 200;

const listeners = new WeakMap<Element, (isNear: boolean) => void>();
let observer: IntersectionObserver | undefined;

function watch(element: Element, listener: (isNear: boolean) => void): () => void {
  // `scrollMargin` extends the page that scrolls within the window; browsers without it see the margin as 0.
  const options = { scrollMargin: `${nearPx}px` } as IntersectionObserverInit;
  observer ??= new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
  }, options);
  listeners.set(element, listener);
  observer.observe(element);
  return () => observer?.unobserve(element);
}

/**
 * The newest version of an item while its element is in or near the visible part of the page; elsewhere the version
 * that it last had there. A list whose items all change every second then renders only those that can be seen.
 */
export function useShownItem<T>(element: RefObject<Element | null>, item: T): T {
  const [isNear, setNear] = useState(true);
  useEffect(() => (element.current === null ? undefined : watch(element.current, setNear)), [element]);
  const shown = useRef(item);
  if (isNear) shown.current = item;
  return shown.current;
}
