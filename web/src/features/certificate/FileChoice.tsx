import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FileButton } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { type ReactNode, useId, useRef } from 'react';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import styles from './Certificate.module.css';
import { certificateFaultText } from './certificate-fault.ts';

interface FileChoiceProps {
  readonly title: string;
  /** Name of the chosen file. */
  readonly file: string | undefined;
  readonly isSending: boolean;
  readonly error: unknown;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}

export function FileChoice({ title, file, isSending, error, onFiles, children }: FileChoiceProps) {
  const { t, i18n } = useLingui();
  const id = useId();
  const reset = useRef<() => void>(null);
  const choose = (files: File[]) => {
    // Without the reset, the browser reports no change if the user chooses the same file again.
    reset.current?.();
    onFiles(files);
  };
  return (
    <section className={styles.file} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <div className={styles.chosen}>
        <FileButton multiple resetRef={reset} accept=".pem,.crt,.cer,.key,.txt,.p7b,.der" onChange={choose}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="xs"
              loading={isSending}
              aria-describedby={id}
              leftSection={<IconFileUpload size={16} aria-hidden />}
            >
              <Trans>Choose files…</Trans>
            </Button>
          )}
        </FileButton>
        <span>{file ?? t`No file chosen`}</span>
      </div>
      {error !== undefined && error !== null ? <FormFault>{certificateFaultText(i18n, error)}</FormFault> : children}
    </section>
  );
}
