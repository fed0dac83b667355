import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { groupTypes } from '../../../../daemon/contract/permission.ts';
import type { User, UserGroup } from '../../../../daemon/contract/users.ts';
import { groupName } from '../../i18n/group-name.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { EditButtons } from '../../shared/editing/EditButtons.tsx';
import { PermissionList } from '../../shared/users/PermissionList.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { useUnsaved } from '../../ui/form/unsaved.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import styles from './GroupForm.module.css';
import { useGroupForm } from './useGroupForm.ts';

const MemberList = deferredPart(() => import('./MemberList.tsx'));
const GroupEffects = deferredPart(() => import('./GroupEffects.tsx'));

interface GroupFormProps {
  readonly group: UserGroup;
  readonly users: readonly User[];
}

/** A click alone does not save anything: the effects are shown first. */
export function GroupForm({ group, users }: GroupFormProps) {
  const { t, i18n } = useLingui();
  const edited = useGroupForm(group, users);
  const { form, base, edit, isDirty, onSubmit, save } = edited;
  useUnsaved(isDirty);
  const { values, errors } = form;
  const isAdmin = group.type === groupTypes.admin;
  const isBuiltIn = group.type !== groupTypes.custom;
  const canSave = isDirty && !save.isPending;
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={onSubmit((next) => {
        if (canSave) void save.run(next);
      })}
    >
      <Panel title={<Trans>Group</Trans>}>
        <div className={styles.texts}>
          <TextInput
            label={t`Name`}
            description={isBuiltIn ? t`A built-in group keeps its name.` : undefined}
            disabled={isBuiltIn}
            autoComplete="off"
            {...form.getInputProps('name')}
            {...(isBuiltIn && { value: groupName(i18n, group.id, group.name) })}
          />
          <TextInput label={t`Description`} autoComplete="off" {...form.getInputProps('desc')} />
        </div>
      </Panel>
      <Panel title={<Trans>Permissions</Trans>}>
        {isAdmin && (
          <p className={styles.note}>
            <Trans>Administrators have full access. This cannot be changed.</Trans>
          </p>
        )}
        <PermissionList
          mask={values.permissions}
          before={base.permissions}
          isFixed={isAdmin}
          onChange={(mask) => form.setFieldValue('permissions', mask)}
        />
        {errors.permissions && <FormFault>{errors.permissions}</FormFault>}
      </Panel>
      <Panel title={<Trans>Members</Trans>}>
        <MemberList
          group={group}
          users={users}
          before={base.users}
          chosen={values.users}
          onChange={(names) => form.setFieldValue('users', names.toSorted())}
        />
        {errors.users && <FormFault>{errors.users}</FormFault>}
      </Panel>
      <div className={styles.save}>
        <div aria-live="polite" className={styles.effects}>
          <GroupEffects edited={edited} />
        </div>
        <div className={styles.buttons}>
          <EditButtons form={form} edit={edit} save={save} />
        </div>
      </div>
    </form>
  );
}
