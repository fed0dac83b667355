import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { faultOf } from '../../lib/call-error.ts';
import { FaultText } from './FaultText.tsx';
import styles from './FormFault.module.css';

/** Why an act failed, above its buttons. */
export function FormFault({ children }: { children: ReactNode }) {
  return (
    <div role="alert" className={styles.fault}>
      <IconAlertTriangle size={18} aria-hidden />
      <span>{children}</span>
    </div>
  );
}

/** Why an act failed. An ended session is shown by the dialog over the page and no longer applies after it. */
export function ActFault({ error }: { error: unknown }) {
  if (faultOf(error) === 'notLoggedIn') return null;
  return (
    <FormFault>
      <FaultText error={error} />
    </FormFault>
  );
}
