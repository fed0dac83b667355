import { useLingui } from '@lingui/react/macro';
import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { faultText } from '../../i18n/result-text.ts';
import { showToast } from '../feedback/toasts.ts';

interface SecretInputProps extends PasswordInputProps {
  /** Label of the button that shows and hides the text. */
  readonly toggle: string;
  /** Records that the stored text is revealed; undefined while nothing is stored, which leaves the text visible. */
  readonly reveal: (() => Promise<unknown>) | undefined;
}

/** A field whose stored text is hidden until the hub has recorded that it is revealed. */
export function SecretInput({ toggle, reveal, ...props }: SecretInputProps) {
  const { i18n } = useLingui();
  const [isVisible, setVisible] = useState(reveal === undefined);
  const look = useMutation({
    mutationFn: async () => reveal?.(),
    onSuccess: () => setVisible(true),
    onError: (error) => showToast('error', faultText(i18n, error)),
  });
  const change = (wished: boolean) => {
    if (!wished || reveal === undefined || look.isSuccess) setVisible(wished);
    else if (!look.isPending) look.mutate();
  };
  return (
    <PasswordInput
      autoComplete="off"
      spellCheck={false}
      visible={isVisible}
      onVisibilityChange={change}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': toggle }}
      {...props}
    />
  );
}
