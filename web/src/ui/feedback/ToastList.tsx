import { useLingui } from '@lingui/react/macro';
import { CloseButton } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import styles from './ToastList.module.css';
import { dismissToast, useToasts } from './toasts.ts';

export function ToastList() {
  const list = useToasts((state) => state.list);
  const { t } = useLingui();
  return (
    <section className={styles.list} aria-live="polite" aria-label={t`Messages`}>
      {list.map((toast) => (
        <div key={toast.id} className={styles.toast} data-tone={toast.tone}>
          {toast.tone === 'success' ? <IconCheck size={18} aria-hidden /> : <IconAlertTriangle size={18} aria-hidden />}
          <span className={styles.text}>{toast.text}</span>
          <CloseButton size="sm" aria-label={t`Close message`} onClick={() => dismissToast(toast.id)} />
        </div>
      ))}
    </section>
  );
}
