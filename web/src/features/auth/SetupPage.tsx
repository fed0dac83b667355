import type { I18n } from '@lingui/core';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Navigate, useNavigate } from 'react-router-dom';
import { firstPasswordRule } from '../../../../daemon/contract/password-rule.ts';
import { ruleText } from '../../i18n/rule-text.ts';
import { CallError } from '../../lib/call-error.ts';
import { paths } from '../../lib/paths.ts';
import { setUp } from '../../shared/password/auth-calls.ts';
import { PasswordDemands } from '../../shared/password/PasswordDemands.tsx';
import { passwordFaults } from '../../shared/password/password-faults.ts';
import { forgetSetupCode, keptSetupCode } from '../../shared/password/setup-code.ts';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { useAct } from '../../ui/form/useAct.ts';
import { useFaultFocus } from '../../ui/form/useFaultFocus.ts';
import { AuthFrame } from './AuthFrame.tsx';
import { useSetupState } from './useSetupState.ts';

/** The root user, whose name is fixed. */
const rootName = 'Admin';

export default function SetupPage() {
  const { t } = useLingui();
  const state = useSetupState();
  const navigate = useNavigate();
  if (state === undefined) return null;
  if (!state.needed) return <Navigate to={paths.dashboard} replace />;
  return (
    <AuthFrame title={t`Welcome`} intro={<Trans>Choose a password for the administrator account “Admin”.</Trans>}>
      <SetupForm needsCode={state['needs-code']} onDone={() => navigate(paths.dashboard, { replace: true })} />
    </AuthFrame>
  );
}

interface SetupFormProps {
  /** Whether this browser runs on a different machine from the hub. */
  readonly needsCode: boolean;
  readonly onDone: () => void;
}

export function SetupForm({ needsCode, onDone }: SetupFormProps) {
  const { t, i18n } = useLingui();
  const [code, setCode] = useState(keptSetupCode);
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [hasTried, setTried] = useState(false);
  const act = useAct(setUp);
  const { element, focusFault } = useFaultFocus();
  const faults = passwordFaults({ password, repeated }, firstPasswordRule, rootName);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if ((needsCode && code === '') || Object.keys(faults).length > 0) return focusFault();
    void act.run({ password, ...(needsCode && { code }) }).then((isDone) => {
      if (!isDone) return;
      forgetSetupCode();
      onDone();
    });
  };
  const shown = (rule: string | undefined) => (hasTried && rule !== undefined ? ruleText(i18n, rule) : null);
  return (
    <form ref={element} onSubmit={submit} noValidate>
      <Stack gap="sm">
        {needsCode && (
          <TextInput
            label={t`Set-up code`}
            description={t`The hub writes it to its terminal and its log at startup. It is not needed on the hub's own machine.`}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={hasTried && code === '' ? ruleText(i18n, 'required') : codeFault(i18n, act.error)}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            autoFocus
          />
        )}
        <TextInput label={t`Username`} value={rootName} readOnly autoComplete="username" />
        <PasswordInput
          label={t`Password`}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={shown(faults.password)}
          autoComplete="new-password"
          autoFocus={!needsCode}
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
        />
        <PasswordDemands password={password} rule={firstPasswordRule} userName={rootName} />
        <PasswordInput
          label={t`Repeat the password`}
          value={repeated}
          onChange={(event) => setRepeated(event.currentTarget.value)}
          error={shown(faults.repeated)}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the repeated password` }}
        />
        {act.error !== undefined && codeFault(i18n, act.error) === null && (
          <FormFault>
            <FaultText error={act.error} />
          </FormFault>
        )}
        <Button type="submit" loading={act.isPending} fullWidth mt={4}>
          <Trans>Create account and continue</Trans>
        </Button>
      </Stack>
    </form>
  );
}

function codeFault(i18n: I18n, error: unknown): string | null {
  const fault = error instanceof CallError ? error.fields.find(({ path }) => path === 'code') : undefined;
  return fault === undefined ? null : ruleText(i18n, fault.rule);
}
