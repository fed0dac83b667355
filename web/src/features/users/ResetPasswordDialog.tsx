import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { useVariant } from '../../api/session.ts';
import { useSchemaForm } from '../../lib/useSchemaForm.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';
import { showToast } from '../../ui/toasts.ts';
import { type NewPasswordValues, passwordFaults } from '../auth/password-faults.ts';
import { NewPasswordFields } from './NewPasswordFields.tsx';
import { usePasswordRule } from './usePasswordRule.ts';
import { setPassword } from './user-calls.ts';

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
