import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { copyText } from '../../lib/copy-text.ts';
import { showToast } from '../feedback/toasts.ts';

const confirmMs = 1500;

interface CopyButtonProps {
  readonly text: string;
  /** Names what is copied. */
  readonly label: string;
  readonly onCopy?: (() => void) | undefined;
}

export function CopyButton({ text, label, onCopy }: CopyButtonProps) {
  const { t } = useLingui();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), confirmMs);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = () => {
    onCopy?.();
    return copyText(text).then(
      () => setDone(true),
      () => showToast('error', t`This browser does not allow copying.`),
    );
  };
  return (
    <ActionIcon
      size={28}
      aria-label={isDone ? t`Copied` : t`Copy ${label}`}
      title={t`Copy ${label}`}
      onClick={() => void copy()}
    >
      {isDone ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} stroke={1.7} aria-hidden />}
    </ActionIcon>
  );
}
