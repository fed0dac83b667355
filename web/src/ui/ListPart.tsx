import { memo, type ReactNode, useEffect, useRef, useState } from 'react';

interface ListPartProps<T> {
  /** What scrolls. */
  readonly root: HTMLElement | null;
  /** Rows of a table, or items of what has the role of a list. */
  readonly tag: 'tbody' | 'div';
  readonly items: readonly T[];
  /** How many stand before these. */
  readonly first: number;
  /** A stable function. */
  readonly draw: (item: T, at: number) => ReactNode;
  readonly className?: string | undefined;
}

/** How far out of sight a part is drawn already. */
const nearPx = 1200;

/**
 * Some items of a list that may be very long: drawn while they are in sight or near it, else only as high as they were.
 * Every part is drawn when it comes, so its height is known by the time it is left out, and nothing jumps.
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

/** How many items stand before each part. */
export function firstOfParts(parts: readonly (readonly unknown[])[]): number[] {
  let first = 0;
  return parts.map(({ length }) => {
    first += length;
    return first - length;
  });
}
