import { type RefObject, useEffect, useReducer, useRef, useState } from 'react';

/** Distance from the visible part of the page within which a row counts as near, in pixels. */
const nearPx = 200;
/** On a slow tablet, more would delay the next frame noticeably. */
const rowsPerFrame = 8;

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

/** Rows that have a newer version to show, in the order in which they learned of it. */
const waiting = new Set<() => void>();

function queue(show: () => void): void {
  if (waiting.size === 0) requestAnimationFrame(showSome);
  waiting.add(show);
}

function showSome(): void {
  for (const show of [...waiting].slice(0, rowsPerFrame)) {
    // First: the row may queue a version that arrives meanwhile.
    waiting.delete(show);
    show();
  }
  if (waiting.size > 0) requestAnimationFrame(showSome);
}

/**
 * The newest version of an item while its element is in or near the visible part of the page; elsewhere the version
 * that it last had there. A list whose items all change every second then renders only those that can be seen, a few in
 * each frame.
 */
export function useShownItem<T>(element: RefObject<Element | null>, item: T): T {
  const [isNear, setNear] = useState(true);
  useEffect(() => (element.current === null ? undefined : watch(element.current, setNear)), [element]);
  const newest = useRef(item);
  newest.current = item;
  const shown = useRef(item);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const show = useRef(() => {
    shown.current = newest.current;
    render();
  }).current;
  const isBehind = isNear && shown.current !== item;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that stays behind queues each newer version
  useEffect(() => {
    if (isBehind) queue(show);
  }, [isBehind, item, show]);
  useEffect(() => () => void waiting.delete(show), [show]);
  return shown.current;
}
