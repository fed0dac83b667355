import { cloneElement, type MouseEvent, type ReactElement, useId, useRef } from 'react';
import { placeBelow } from './place-below.ts';
import styles from './WithReason.module.css';

interface ButtonProps {
  readonly onClick?: ((event: MouseEvent<HTMLButtonElement>) => void) | undefined;
}

interface WithReasonProps {
  /** Why the button is unavailable now; undefined while it is available. */
  readonly reason: string | undefined;
  readonly children: ReactElement<ButtonProps>;
}

/**
 * An unavailable button that says why: it keeps the focus, and its reason shows on hover, on focus and when it is
 * pressed, which is how it is read on a touch screen. A native tooltip does none but the first.
 */
export function WithReason({ reason, children }: WithReasonProps) {
  const id = useId();
  const around = useRef<HTMLSpanElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);
  const show = () => {
    const button = around.current?.querySelector('button');
    if (!bubble.current || !button || bubble.current.matches(':popover-open')) return;
    bubble.current.showPopover();
    placeBelow(bubble.current, button);
  };
  const hide = () => bubble.current?.matches(':popover-open') && bubble.current.hidePopover();
  if (reason === undefined) return <span className={styles.around}>{children}</span>;
  const unavailable = {
    'data-disabled': true,
    'aria-disabled': true,
    'aria-describedby': id,
    onClick: (event: MouseEvent<HTMLButtonElement>) => {
      event.preventDefault();
      show();
    },
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the reason also shows on focus and when the button is pressed
    <span ref={around} className={styles.around} onMouseEnter={show} onMouseLeave={hide} onFocus={show} onBlur={hide}>
      {cloneElement(children, unavailable)}
      <span ref={bubble} id={id} role="tooltip" popover="auto" className={styles.bubble}>
        {reason}
      </span>
    </span>
  );
}
