import { memo, type ReactNode, useEffect, useRef, useState } from 'react';

interface ListPartProps<T> {
  /** The scrolling element. */
  readonly root: HTMLElement | null;
  /** `tbody` for table rows, `div` for items of an element with the role list. */
  readonly tag: 'tbody' | 'div';
  readonly items: readonly T[];
  /** Number of items before these. */
  readonly first: number;
  /** A stable function. */
  readonly draw: (item: T, at: number) => ReactNode;
  readonly className?: string | undefined;
}

/** Distance from the viewport within which a part is rendered, in pixels. */
const nearPx = 1200;

/**
 * Part of a list that may be very long: rendered while in or near the viewport, otherwise an empty box of the same
 * height. Every part is rendered first, so its height is known when it is removed, and nothing jumps.
 */
export const ListPart = memo(function ListPart<T>(props: ListPartProps<T>) {
  const { root, tag: Tag, items, first, draw, className } = props;
  const element = useRef<HTMLTableSectionElement & HTMLDivElement>(null);
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    const part = element.current;
    if (part === null || root === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        if (last) setHeight(last.isIntersecting ? undefined : last.boundingClientRect.height);
      },
      { root, rootMargin: `${nearPx}px 0px` },
    );
    observer.observe(part);
    return () => observer.disconnect();
  }, [root]);
  if (height === undefined) {
    return (
      <Tag ref={element} className={className} role={Tag === 'div' ? 'none' : undefined}>
        {items.map((item, at) => draw(item, first + at))}
      </Tag>
    );
  }
  return (
    <Tag ref={element} className={className} aria-hidden="true">
      {Tag === 'div' ? (
        <div style={{ height }} />
      ) : (
        <tr>
          <td style={{ height }} />
        </tr>
      )}
    </Tag>
  );
}) as <T>(props: ListPartProps<T>) => ReactNode;

/** Number of items before each part. */
export function firstOfParts(parts: readonly (readonly unknown[])[]): number[] {
  let first = 0;
  return parts.map(({ length }) => {
    first += length;
    return first - length;
  });
}
