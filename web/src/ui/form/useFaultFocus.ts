import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

interface FaultFocus {
  /** The form that contains the fields. */
  readonly element: RefObject<HTMLFormElement | null>;
  /** To be called together with setting the errors. */
  readonly focusFault: () => void;
}

/** The library's password field lacks `aria-invalid` unless a form sets it. */
const faulty = '[aria-invalid="true"],input[data-invalid]';

/** Focuses the first faulty field once the faults are rendered, so that its description includes the fault. */
export function useFaultFocus(): FaultFocus {
  const element = useRef<HTMLFormElement>(null);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (asked > 0) element.current?.querySelector<HTMLElement>(faulty)?.focus();
  }, [asked]);
  return { element, focusFault: useCallback(() => setAsked((count) => count + 1), []) };
}
