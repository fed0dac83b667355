import { useFormat } from '../../i18n/useFormat.ts';
import { NoValue, Quantity } from '../../ui/data/Quantity.tsx';

/** `kbps`: undefined for what is stopped or not in use. */
export function RateCell({ kbps }: { kbps: number | undefined }) {
  const format = useFormat();
  return kbps === undefined ? <NoValue /> : <Quantity amount={format.rate(kbps)} />;
}
