import { useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { groupTypes } from '../../../../daemon/contract/permission.ts';
import type { User, UserGroup } from '../../../../daemon/contract/users.ts';
import { useSession } from '../../api/session.ts';
import { groupName } from '../../i18n/group-name.ts';
import { isRoot } from '../../shared/users/user-calls.ts';
import styles from './GroupForm.module.css';

interface MemberListProps {
  readonly group: UserGroup;
  readonly users: readonly User[];
  /** Names of the stored members. */
  readonly before: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

/** All users, with the group that each would leave. */
export default function MemberList({ group, users, before, chosen, onChange }: MemberListProps) {
  const { t, i18n } = useLingui();
  const self = useSession();
  const whyFixed = (user: User): string | undefined => {
    if (isRoot(user)) return t`Admin stays an administrator`;
    if (user.id === self.id) return t`Your own account`;
    const isViewer = group.type === groupTypes.viewer && before.includes(user.name);
    return isViewer ? t`Choose another group instead` : undefined;
  };
  return (
    <Checkbox.Group aria-label={t`Members`} value={[...chosen]} onChange={onChange}>
      <div className={styles.members}>
        {users.map((user) => {
          const fixed = whyFixed(user);
          const isIn = before.includes(user.name);
          return (
            <Checkbox
              key={user.id}
              value={user.name}
              label={<span translate="no">{user.nick === '' ? user.name : `${user.name} (${user.nick})`}</span>}
              description={fixed ?? (isIn ? undefined : groupName(i18n, user['group-id'], user['group-name']))}
              disabled={fixed !== undefined}
            />
          );
        })}
      </div>
    </Checkbox.Group>
  );
}
