import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, NativeSelect, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { endless, limits } from '../../../../daemon/contract/limits.ts';
import { TokenFields } from '../../../../daemon/contract/token-fields.ts';
import { useSession, useVariant } from '../../api/session.ts';
import { DialogForm } from '../../shared/editing/DialogForm.tsx';
import { PermissionList } from '../../shared/users/PermissionList.tsx';
import { shownOf } from '../../shared/users/permission-set.ts';
import { CopyLine } from '../../ui/data/CopyLine.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { faultsOf } from '../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import styles from './TokenDialog.module.css';
import { addToken } from './token-calls.ts';
import { maskOfRole, type TokenRole, tokenRoles } from './token-roles.ts';

interface TokenValues {
  readonly name: string;
  readonly token: string;
  /** Days from now; '' for never. */
  readonly days: string;
  readonly permission: number;
  readonly password: string;
}

const day = 24 * 60 * 60_000;

export default function TokenDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [made, setMade] = useState<string | undefined>();
  return (
    <Dialog
      title={made === undefined ? t`Add access token` : t`Copy the access token now`}
      onClose={onClose}
      size={800}
      isHeld={made !== undefined}
    >
      {made === undefined ? (
        <TokenForm onMade={setMade} onClose={onClose} />
      ) : (
        <MadeToken token={made} onClose={onClose} />
      )}
    </Dialog>
  );
}

function TokenForm({ onMade, onClose }: { onMade: (token: string) => void; onClose: () => void }) {
  const { t } = useLingui();
  const self = useSession();
  const variant = useVariant();
  // If all shown permissions are chosen, the hidden ones are included; otherwise they are not.
  const permissionOf = (chosen: number) =>
    shownOf(chosen, variant) === shownOf(self.permission, variant) ? chosen : shownOf(chosen, variant);
  const toBody = ({ name, token, days, permission }: TokenValues) => ({
    ...{ name, permission: permissionOf(permission), expire: days === '' ? endless : Date.now() + Number(days) * day },
    ...(token !== '' && { token }),
  });
  const fields = useSchemaForm<TokenValues>({
    initial: { name: '', token: '', days: String(limits.tokenDays), permission: 0, password: '' },
    check: (values) => ({
      ...faultsOf(TokenFields, toBody(values)),
      ...(values.password === '' && { password: 'required' }),
    }),
    fieldOf: (path) => (path === 'expire' ? 'days' : path),
  });
  const { form } = fields;
  const roleNames: Readonly<Record<TokenRole, string>> = {
    ...{ monitoring: t`Monitoring`, control: t`Control`, everything: t`Full access` },
  };
  return (
    <DialogForm
      fields={fields}
      save={(values) => addToken({ id: self.name, password: values.password }, toBody(values))}
      onSaved={onMade}
      verb={<Trans>Add access token</Trans>}
      onClose={onClose}
    >
      <div className={styles.texts}>
        <TextInput
          label={t`Name`}
          placeholder={t`For example: monitoring script`}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <NativeSelect
          label={t`Expires`}
          data={[
            { value: '30', label: t`In 30 days` },
            { value: '90', label: t`In 90 days` },
            { value: '365', label: t`In a year` },
            { value: '', label: t`Never` },
          ]}
          {...form.getInputProps('days')}
        />
      </div>
      <TextInput
        label={t`Token`}
        description={t`64 letters and digits, or leave empty to generate.`}
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('token')}
      />
      <p className={styles.may}>
        <Trans>Permissions</Trans>
      </p>
      <Group gap="xs" role="group" aria-label={t`Role`}>
        {tokenRoles.map((role) => {
          const mask = maskOfRole(role, self.permission);
          const isChosen = shownOf(form.values.permission, variant) === shownOf(mask, variant);
          return (
            <Button
              key={role}
              size="xs"
              variant={isChosen ? 'filled' : 'default'}
              aria-pressed={isChosen}
              onClick={() => form.setFieldValue('permission', mask)}
            >
              {roleNames[role]}
            </Button>
          );
        })}
      </Group>
      <PermissionList
        mask={form.values.permission}
        max={self.permission}
        isFixed={false}
        onChange={(mask) => form.setFieldValue('permission', mask)}
      />
      {form.errors.permission && <FormFault>{form.errors.permission}</FormFault>}
      <PasswordInput
        label={t`Your password`}
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
        {...form.getInputProps('password')}
      />
    </DialogForm>
  );
}

function MadeToken({ token, onClose }: { token: string; onClose: () => void }) {
  const { t } = useLingui();
  const shown = useRef<HTMLDivElement>(null);
  // The focused element disappeared together with the form.
  useEffect(() => shown.current?.querySelector('button')?.focus(), []);
  return (
    <Stack gap="sm" ref={shown}>
      <Banner tone="warn" title={<Trans>It is shown only once</Trans>}>
        <Trans>Copy it now; it can't be shown again. Anyone who has the token has its permissions.</Trans>
      </Banner>
      <CopyLine label={t`Token`} text={token} />
      <CopyLine label={t`Header`} text={`Authorization: Bearer ${token}`} />
      <Group justify="flex-end">
        <Button onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
