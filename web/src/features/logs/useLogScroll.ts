import { useCallback, useEffect, useLayoutEffect, useState } from 'react';

/** Pixels; less than an accidental finger movement. */
const topPx = 4;

export interface LogScroll {
  readonly root: HTMLElement | null;
  readonly setRoot: (element: HTMLElement | null) => void;
  /** Whether the newest entry is in view. */
  readonly isAtTop: boolean;
  readonly toTop: () => void;
}

/** Scroll position of a log. Scrolls to the top when `shown` changes. */
export function useLogScroll(shown: string): LogScroll {
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const [isAtTop, setAtTop] = useState(true);
  useEffect(() => {
    if (root === null) return;
    const look = () => setAtTop(root.scrollTop <= topPx);
    root.addEventListener('scroll', look, { passive: true });
    return () => root.removeEventListener('scroll', look);
  }, [root]);
  const toTop = useCallback(() => root?.scrollTo({ top: 0 }), [root]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the top whenever `shown` changes
  useLayoutEffect(toTop, [shown, toTop]);
  return { root, setRoot, isAtTop, toTop };
}
