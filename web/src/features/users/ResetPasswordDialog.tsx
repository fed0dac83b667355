import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { useVariant } from '../../api/session.ts';
import { DialogForm } from '../../shared/editing/DialogForm.tsx';
import { NewPasswordFields } from '../../shared/password/NewPasswordFields.tsx';
import { type NewPasswordValues, passwordFaults } from '../../shared/password/password-faults.ts';
import { usePasswordRule } from '../../shared/password/usePasswordRule.ts';
import { setPassword } from '../../shared/users/user-calls.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';

interface ResetPasswordDialogProps {
  readonly userName: string;
  readonly onClose: () => void;
}

export default function ResetPasswordDialog({ userName, onClose }: ResetPasswordDialogProps) {
  const { t } = useLingui();
  const rule = usePasswordRule();
  const { isHardware } = useVariant();
  const { form, onSubmit, place } = useSchemaForm<NewPasswordValues>({
    initial: { password: '', repeated: '' },
    check: (values) => passwordFaults(values, rule, userName),
  });
  const act = useMutation({
    async mutationFn({ password }: NewPasswordValues) {
      await setPassword({ name: userName, password });
      showToast('success', t`“${userName}” has a new password.`);
    },
    onSuccess: onClose,
    onError: place,
  });
  return (
    <Dialog title={t`Set the password of “${userName}”`} onClose={onClose}>
      <DialogForm
        onSubmit={onSubmit((values) => act.mutate(values))}
        act={act}
        errors={form.errors}
        verb={<Trans>Set password</Trans>}
        onClose={onClose}
      >
        <p>
          <Trans>All sessions of “{userName}” end.</Trans>{' '}
          {isHardware && <Trans>The access tokens of “{userName}” end.</Trans>}
        </p>
        <NewPasswordFields form={form} rule={rule} userName={userName} />
      </DialogForm>
    </Dialog>
  );
}
