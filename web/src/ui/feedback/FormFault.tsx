import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
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
