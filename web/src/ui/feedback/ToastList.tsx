import { Trans, useLingui } from '@lingui/react/macro';
import { Button, CloseButton } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import styles from './ToastList.module.css';
import { dismissToast, holdToast, releaseToast, useToasts } from './toasts.ts';

export function ToastList() {
  const list = useToasts((state) => state.list);
  const { t } = useLingui();
  return (
    <section className={styles.list} aria-live="polite" aria-label={t`Messages`}>
      {list.map((toast) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the toast only waits until it has been read
        <div
          key={toast.id}
          className={styles.toast}
          data-tone={toast.tone}
          onMouseEnter={() => holdToast(toast.id)}
          onMouseLeave={() => releaseToast(toast)}
          onFocus={() => holdToast(toast.id)}
          onBlur={() => releaseToast(toast)}
        >
          {toast.tone === 'success' ? <IconCheck size={18} aria-hidden /> : <IconAlertTriangle size={18} aria-hidden />}
          <span className={styles.text}>{toast.text}</span>
          {toast.undo !== undefined && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                dismissToast(toast.id);
                toast.undo?.();
              }}
            >
              <Trans>Undo</Trans>
            </Button>
          )}
          {toast.path !== undefined && (
            <Button
              component="a"
              href={`#${toast.path}`}
              size="compact-sm"
              variant="default"
              onClick={() => dismissToast(toast.id)}
            >
              <Trans>Open</Trans>
            </Button>
          )}
          <CloseButton size="sm" aria-label={t`Close message`} onClick={() => dismissToast(toast.id)} />
        </div>
      ))}
    </section>
  );
}
