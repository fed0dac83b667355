import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

interface FaultFocus {
  /** The form whose fields are meant. */
  readonly element: RefObject<HTMLFormElement | null>;
  /** Called along with what marks the faults. */
  readonly focusFault: () => void;
}

/** The library's password field lacks the attribute where no form gives it. */
const faulty = '[aria-invalid="true"],input[data-invalid]';

/** Once the faults are drawn, the first of them gets the focus: by then its field says what is wrong with it. */
export function useFaultFocus(): FaultFocus {
  const element = useRef<HTMLFormElement>(null);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (asked > 0) element.current?.querySelector<HTMLElement>(faulty)?.focus();
  }, [asked]);
  return { element, focusFault: useCallback(() => setAsked((count) => count + 1), []) };
}
