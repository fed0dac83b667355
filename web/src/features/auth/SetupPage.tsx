import { Trans, useLingui } from '@lingui/react/macro';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Navigate, useNavigate } from 'react-router-dom';
import { ruleText } from '../../i18n/rule-text.ts';
import { useAct } from '../../lib/useAct.ts';
import { useFaultFocus } from '../../lib/useFaultFocus.ts';
import { paths } from '../../paths.ts';
import { FaultText } from '../../ui/FaultText.tsx';
import { FormFault } from '../../ui/FormFault.tsx';
import { AuthFrame } from './AuthFrame.tsx';
import { setUp } from './auth-calls.ts';
import { isStrong } from './password-strength.ts';
import { StrengthList } from './StrengthList.tsx';
import { useSetupNeeded } from './useSetupNeeded.ts';

/** The root user; its name can't be chosen. */
const rootName = 'Admin';

export default function SetupPage() {
  const { t } = useLingui();
  const isNeeded = useSetupNeeded();
  const navigate = useNavigate();
  if (isNeeded === undefined) return null;
  if (!isNeeded) return <Navigate to={paths.dashboard} replace />;
  return (
    <AuthFrame
      title={t`Welcome`}
      intro={<Trans>Choose the password of the administrator. There is no default one.</Trans>}
    >
      <SetupForm onDone={() => navigate(paths.dashboard, { replace: true })} />
    </AuthFrame>
  );
}

export function SetupForm({ onDone }: { onDone: () => void }) {
  const { t, i18n } = useLingui();
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [hasTried, setTried] = useState(false);
  const act = useAct(setUp);
  const { element, focusFault } = useFaultFocus();
  const faults = passwordFaults(password, repeated);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (faults.password !== undefined || faults.repeated !== undefined) return focusFault();
    void act.run(password).then((isDone) => isDone && onDone());
  };
  const shown = (rule: string | undefined) => (hasTried && rule !== undefined ? ruleText(i18n, rule) : null);
  return (
    <form ref={element} onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput label={t`User name`} value={rootName} readOnly autoComplete="username" />
        <PasswordInput
          label={t`Password`}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={shown(faults.password)}
          autoComplete="new-password"
          autoFocus
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
        />
        <StrengthList password={password} userName={rootName} />
        <PasswordInput
          label={t`Repeat the password`}
          value={repeated}
          onChange={(event) => setRepeated(event.currentTarget.value)}
          error={shown(faults.repeated)}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the repeated password` }}
        />
        {act.error !== undefined && (
          <FormFault>
            <FaultText error={act.error} />
          </FormFault>
        )}
        <Button type="submit" loading={act.isPending} fullWidth mt={4}>
          <Trans>Set up the hub</Trans>
        </Button>
      </Stack>
    </form>
  );
}

function passwordFaults(password: string, repeated: string): { password?: string; repeated?: string } {
  if (password === '') return { password: 'required' };
  if (!isStrong(password, rootName)) return { password: 'weak' };
  return password === repeated ? {} : { repeated: 'differ' };
}
