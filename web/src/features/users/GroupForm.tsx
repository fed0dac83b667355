import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { groupTypes, holds, permissions } from '../../../../daemon/contract/permission.ts';
import { type User, type UserGroup, userApi } from '../../../../daemon/contract/users.ts';
import { useSession } from '../../api/session.ts';
import { permissionNames } from '../../i18n/permission-text.ts';
import { faultsOf } from '../../lib/schema-form.ts';
import { useSchemaForm } from '../../lib/useSchemaForm.ts';
import { Banner } from '../../ui/Banner.tsx';
import { FaultText } from '../../ui/FaultText.tsx';
import { FormFault } from '../../ui/FormFault.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StaleNote } from '../../ui/StaleNote.tsx';
import { showToast } from '../../ui/toasts.ts';
import styles from './GroupForm.module.css';
import { PermissionList } from './PermissionList.tsx';
import { changeGroup } from './user-calls.ts';
import { peopleQuery } from './users-query.ts';

interface GroupFormProps {
  readonly group: UserGroup;
  readonly users: readonly User[];
}

interface GroupValues {
  readonly name: string;
  readonly desc: string;
  readonly permissions: number;
  readonly users: readonly string[];
}

const rootUserId = 1;

/** Nothing is saved by a click alone: what it brings about is shown first. */
export function GroupForm({ group, users }: GroupFormProps) {
  const { t, i18n } = useLingui();
  const self = useSession();
  const isAdmin = group.type === groupTypes.admin;
  const stored: GroupValues = {
    ...{ name: group.name, desc: group.desc, permissions: group.permission },
    users: users.filter((user) => user['group-id'] === group.id).map(({ name }) => name),
  };
  const { form, onSubmit, place } = useSchemaForm<GroupValues>({
    initial: stored,
    check: ({ users: names, ...values }) =>
      faultsOf(userApi.setGroup.body, { id: group.id, ...values, users: [...names] }),
  });
  const save = useMutation({
    async mutationFn({ values, isForced }: { values: GroupValues; isForced: boolean }) {
      const { permissions: mask, users: names, name, desc } = values;
      const changed = {
        ...(name !== stored.name && { name }),
        ...(desc !== stored.desc && { desc }),
        ...(mask !== stored.permissions && { permissions: mask }),
        ...(!sameNames(names, stored.users) && { users: [...names] }),
      };
      await changeGroup({ id: group.id, ...changed, ...(!isForced && { revision: group.revision }) });
      showToast('success', t`“${name}” was saved.`);
    },
    onError: place,
  });
  const { values } = form;
  const taken = permissions.filter((one) => holds(stored.permissions, one) && !holds(values.permissions, one));
  const leaving = stored.users.filter((name) => !values.users.includes(name));
  const isDirty =
    values.name !== stored.name ||
    values.desc !== stored.desc ||
    values.permissions !== stored.permissions ||
    !sameNames(values.users, stored.users);
  const isBuiltIn = group.type !== groupTypes.custom;
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={onSubmit((next) => isDirty && save.mutate({ values: next, isForced: false }))}
    >
      <Panel title={<Trans>Group</Trans>}>
        <div className={styles.texts}>
          <TextInput label={t`Name`} disabled={isBuiltIn} autoComplete="off" {...form.getInputProps('name')} />
          <TextInput label={t`Description`} autoComplete="off" {...form.getInputProps('desc')} />
        </div>
      </Panel>
      <Panel title={<Trans>Permissions</Trans>}>
        {isAdmin && (
          <p className={styles.note}>
            <Trans>Administrators may do everything; that can't be changed.</Trans>
          </p>
        )}
        <PermissionList
          mask={values.permissions}
          isFixed={isAdmin}
          onChange={(mask) => form.setFieldValue('permissions', mask)}
        />
        {form.errors.permissions && <FormFault>{form.errors.permissions}</FormFault>}
      </Panel>
      <Panel title={<Trans>Members</Trans>}>
        <Checkbox.Group
          aria-label={t`Members`}
          value={[...values.users]}
          onChange={(names) => form.setFieldValue('users', names)}
        >
          <div className={styles.members}>
            {users.map((user) => (
              <Checkbox
                key={user.id}
                value={user.name}
                label={user.nick === '' ? user.name : `${user.name} (${user.nick})`}
                description={stored.users.includes(user.name) ? undefined : user['group-name']}
                // Admin stays an administrator, nobody lowers oneself, and a viewer leaves by joining another group.
                disabled={
                  user.id === rootUserId ||
                  user.id === self.id ||
                  (group.type === groupTypes.viewer && stored.users.includes(user.name))
                }
              />
            ))}
          </div>
        </Checkbox.Group>
      </Panel>
      <div aria-live="polite" className={styles.effects}>
        {taken.length > 0 && (
          <Banner tone="warn" title={<Trans>Members have to sign in again</Trans>}>
            <Trans>They may no longer: {permissionNames(i18n, taken.join(', '))}.</Trans>
          </Banner>
        )}
        {leaving.length > 0 && (
          <Banner tone="info" title={<Trans>{leaving.join(', ')}: group Viewer from then on</Trans>} />
        )}
        <StaleNote
          error={save.error}
          queryKey={peopleQuery.queryKey}
          onOverwrite={() => save.mutate({ values: form.getValues(), isForced: true })}
        />
        {save.error !== null && Object.keys(form.errors).length === 0 && !StaleNote.covers(save.error) && (
          <FormFault>
            <FaultText error={save.error} />
          </FormFault>
        )}
      </div>
      <div className={styles.save}>
        {isDirty && (
          <Button variant="default" disabled={save.isPending} onClick={() => form.reset()}>
            <Trans>Discard</Trans>
          </Button>
        )}
        <Button
          type="submit"
          aria-busy={save.isPending}
          {...((!isDirty || save.isPending) && { 'data-disabled': true, 'aria-disabled': true })}
          {...(!isDirty && { title: t`Nothing was changed` })}
        >
          <Trans>Save</Trans>
        </Button>
      </div>
    </form>
  );
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
