import { useLingui } from '@lingui/react/macro';
import { faultText } from '../../i18n/result-text.ts';

export function FaultText({ error }: { error: unknown }) {
  const { i18n } = useLingui();
  return <>{faultText(i18n, error)}</>;
}
