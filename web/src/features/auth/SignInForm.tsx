import { Trans, useLingui } from '@lingui/react/macro';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { CallError } from '../../lib/call-error.ts';
import type { Credentials } from '../../shared/password/auth-calls.ts';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { useAct } from '../../ui/form/useAct.ts';
import { useFaultFocus } from '../../ui/form/useFaultFocus.ts';

interface SignInFormProps {
  readonly userName: string;
  readonly signIn: (credentials: Credentials) => Promise<void>;
  readonly onSignedIn: () => void;
}

export function SignInForm({ userName, signIn, onSignedIn }: SignInFormProps) {
  const { t } = useLingui();
  const [id, setId] = useState(userName);
  const [password, setPassword] = useState('');
  const [hasTried, setTried] = useState(false);
  const passwordField = useRef<HTMLInputElement>(null);
  const { element, focusFault } = useFaultFocus();
  const attempt = useAct(signIn);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (id === '' || password === '') return focusFault();
    void attempt.run({ id, password }).then((isDone) => (isDone ? onSignedIn() : passwordField.current?.select()));
  };
  const required = (value: string) => (hasTried && value === '' ? t`Required` : null);
  return (
    <form ref={element} onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label={t`Username`}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          error={required(id)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus={userName === '' || undefined}
          autoFocus={userName === ''}
        />
        <PasswordInput
          ref={passwordField}
          label={t`Password`}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={required(password)}
          autoComplete="current-password"
          data-autofocus={userName !== '' || undefined}
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
        />
        {attempt.error !== undefined && (
          <FormFault>
            <SignInFault error={attempt.error} />
          </FormFault>
        )}
        <Button type="submit" loading={attempt.isPending} fullWidth mt={4}>
          <Trans>Sign in</Trans>
        </Button>
      </Stack>
    </form>
  );
}

/** An unknown name and a wrong password show the same text, so that existing names are not revealed. */
function SignInFault({ error }: { error: unknown }) {
  const fault = error instanceof CallError ? error.fault : undefined;
  if (fault === 'mismatch' || fault === 'notExist' || fault === 'authFailed') {
    return <Trans>Incorrect username or password.</Trans>;
  }
  if (fault === 'tryAgain' || fault === 'tooMany') {
    return <Trans>Too many failed attempts. Wait a moment, then try again.</Trans>;
  }
  return <FaultText error={error} />;
}
