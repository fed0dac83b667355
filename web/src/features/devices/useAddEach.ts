import { useEffect, useRef } from 'react';
import { addEach } from './add-each.ts';

type AddEach = (devices: Parameters<typeof addEach>[0], onOutcomes: Parameters<typeof addEach>[1]) => Promise<void>;

/** Adds devices until the component is gone. */
export function useAddEach(): AddEach {
  const shown = useRef(new AbortController());
  useEffect(() => {
    const own = new AbortController();
    shown.current = own;
    return () => own.abort();
  }, []);
  return (devices, onOutcomes) => addEach(devices, onOutcomes, shown.current.signal);
}
