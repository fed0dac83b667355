import { Trans, useLingui } from '@lingui/react/macro';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { NewPasswordFields, usePasswordRule } from '../../shared/password/NewPasswordFields.tsx';
import { type NewPasswordValues, passwordFaults } from '../../shared/password/password-faults.ts';
import { setPassword } from '../../shared/users/user-calls.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';

interface ResetPasswordDialogProps {
  readonly userName: string;
  readonly onClose: () => void;
}

export default function ResetPasswordDialog({ userName, onClose }: ResetPasswordDialogProps) {
  const { t } = useLingui();
  const rule = usePasswordRule();
  const fields = useSchemaForm<NewPasswordValues>({
    initial: { password: '', repeated: '' },
    check: (values) => passwordFaults(values, rule, userName),
  });
  const save = async ({ password }: NewPasswordValues) => {
    await setPassword({ name: userName, password });
    showToast('success', t`“${userName}” has a new password.`);
  };
  return (
    <FormDialog
      title={t`Set the password of “${userName}”`}
      fields={fields}
      save={save}
      verb={<Trans>Set password</Trans>}
      onClose={onClose}
    >
      <p>
        <Trans>All sessions of “{userName}” end.</Trans> <Trans>The access tokens of “{userName}” end.</Trans>
      </p>
      <NewPasswordFields form={fields.form} rule={rule} userName={userName} />
    </FormDialog>
  );
}
