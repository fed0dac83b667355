import { useLingui } from '@lingui/react/macro';
import { actionFaultText } from './action-look.ts';

/** Why an action on a device was not done. */
export default function DeviceFault({ error }: { error: unknown }) {
  const { i18n } = useLingui();
  return <>{actionFaultText(i18n, error)}</>;
}
