import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, PasswordInput } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { NewPasswordFields, usePasswordRule } from '../../shared/password/NewPasswordFields.tsx';
import { type NewPasswordValues, passwordFaults } from '../../shared/password/password-faults.ts';
import { changeOwnPassword } from '../../shared/users/user-calls.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';

interface OwnPasswordValues extends NewPasswordValues {
  readonly old: string;
  readonly endTokens: boolean;
}

export default function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const { name } = useSession();
  const rule = usePasswordRule();
  const fields = useSchemaForm<OwnPasswordValues>({
    initial: { old: '', password: '', repeated: '', endTokens: true },
    check: (values) => ({ ...(values.old === '' && { old: 'required' }), ...passwordFaults(values, rule, name) }),
    fieldOf: (path) => (path === 'old-password' ? 'old' : path),
  });
  const { form } = fields;
  const save = async ({ old, password, endTokens }: OwnPasswordValues) => {
    await changeOwnPassword({ id: name, password: old }, { password, 'end-tokens': endTokens });
    showToast('success', t`Your password was changed.`);
  };
  return (
    <FormDialog
      title={t`Change password`}
      fields={fields}
      save={save}
      verb={<Trans>Change password</Trans>}
      onClose={onClose}
    >
      <p>
        <Trans>All your other sessions end.</Trans>
      </p>
      <PasswordInput
        label={t`Current password`}
        autoComplete="current-password"
        data-autofocus
        visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the current password` }}
        {...form.getInputProps('old')}
      />
      <NewPasswordFields form={form} rule={rule} userName={name} />
      <Checkbox label={t`End my access tokens, too`} {...form.getInputProps('endTokens', { type: 'checkbox' })} />
    </FormDialog>
  );
}
