import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeviceGroup } from '../../../../../daemon/contract/device-groups.ts';
import { groupName } from '../../../i18n/group-name.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { type People, peopleQuery } from '../../../shared/users/user-calls.ts';
import { useSchemaForm } from '../../../ui/form/useSchemaForm.ts';
import styles from './SecurityDialog.module.css';
import { type SecurityValues, securityChange, securityChoices, securityValues } from './security-form.ts';
import { viewersText } from './security-words.ts';

interface SecurityDialogProps {
  readonly title: string;
  readonly security: Parameters<typeof securityValues>[0];
  /** What it inherits from, and the setting that applies then; undefined if it inherits from nothing. */
  readonly inherits: { readonly text: string; readonly from: DeviceGroup | undefined } | undefined;
  readonly save: (change: ReturnType<typeof securityChange>) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Chooses who may see a device, a group of devices, or all that choose nothing themselves. */
export function SecurityDialog(props: SecurityDialogProps) {
  const people = useQuery(peopleQuery).data;
  return people === undefined ? null : <SecurityForm {...props} people={people} />;
}

/** The setting that applies now, and where it is made. */
function Inherited({ from, people }: { from: DeviceGroup; people: People }) {
  const { i18n } = useLingui();
  const { comma } = useFormat();
  const viewers = viewersText(i18n, comma, { masks: from, people });
  const { name } = from;
  if (from.id === 0) return <Trans>Now seen by: {viewers} (setting for all devices)</Trans>;
  return (
    <Trans>
      Now seen by: {viewers} (setting of the group “{name}”)
    </Trans>
  );
}

function SecurityForm({ title, security, inherits, save, onClose, people }: SecurityDialogProps & { people: People }) {
  const { t, i18n } = useLingui();
  const fields = useSchemaForm<SecurityValues>({ initial: securityValues(security, people), check: () => ({}) });
  const { form } = fields;
  const { groups, users } = securityChoices(people);
  const { mode, groups: chosenGroups, users: chosenUsers } = form.values;
  const isNobody = mode === 'chosen' && chosenGroups.length + chosenUsers.length === 0;
  return (
    <FormDialog
      title={title}
      fields={fields}
      save={(values) => save(securityChange(values))}
      verb={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <NativeSelect
        label={t`Who may see it`}
        data-autofocus
        data={[
          ...(inherits === undefined ? [] : [{ value: 'inherit', label: inherits.text }]),
          { value: 'all', label: t`All users` },
          { value: 'chosen', label: t`Only these groups and users` },
        ]}
        {...form.getInputProps('mode')}
      />
      {mode === 'chosen' && (
        <div className={styles.lists}>
          <Checkbox.Group
            label={t`User groups`}
            value={[...chosenGroups]}
            onChange={(ids) => form.setFieldValue('groups', ids)}
          >
            <div className={styles.list}>
              {groups.map(({ id, name }) => (
                <Checkbox key={id} value={String(id)} label={groupName(i18n, id, name)} />
              ))}
            </div>
          </Checkbox.Group>
          <Checkbox.Group
            label={t`Users`}
            value={[...chosenUsers]}
            onChange={(ids) => form.setFieldValue('users', ids)}
          >
            <div className={styles.list}>
              {users.map(({ id, name, nick }) => (
                <Checkbox
                  key={id}
                  value={String(id)}
                  label={<span translate="no">{nick === '' ? name : `${name} (${nick})`}</span>}
                />
              ))}
              {users.length === 0 && (
                <p className={styles.none}>
                  <Trans>There are no other users.</Trans>
                </p>
              )}
            </div>
          </Checkbox.Group>
        </div>
      )}
      {mode === 'inherit' && inherits?.from && (
        <p className={styles.inherited}>
          <Inherited from={inherits.from} people={people} />
        </p>
      )}
      <p className={styles.none}>
        {isNobody ? (
          <Trans>Only administrators will see it.</Trans>
        ) : (
          <Trans>Administrators always see everything.</Trans>
        )}
      </p>
    </FormDialog>
  );
}
