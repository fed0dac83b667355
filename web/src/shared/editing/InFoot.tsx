import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';

/** The place for further buttons in the foot of a dialog's form; null until it is rendered. */
export const FootPlace = createContext<HTMLElement | null>(null);

/** Renders buttons beside those of the dialog's form, at its start. */
export function InFoot({ children }: { children: ReactNode }) {
  const place = useContext(FootPlace);
  return place === null ? null : createPortal(children, place);
}
