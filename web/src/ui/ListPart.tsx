import { type ReactNode, useEffect, useRef, useState } from 'react';

interface ListPartProps {
  /** What scrolls. */
  readonly root: HTMLElement | null;
  /** Rows of a table, or items of what has the role of a list. */
  readonly tag: 'tbody' | 'div';
  readonly draw: () => ReactNode;
  readonly className?: string | undefined;
}

/** How far out of sight a part is drawn already. */
const nearPx = 1200;

/**
 * Some rows of a list that may be very long: drawn while they are in sight or near it, else only as high as they were.
 * Every part is drawn when it comes, so its height is known by the time it is left out, and nothing jumps.
 */
export function ListPart({ root, tag: Tag, draw, className }: ListPartProps) {
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
        {draw()}
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
}
