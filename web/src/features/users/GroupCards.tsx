import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconChevronRight, IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router-dom';
import { limits } from '../../../../daemon/contract/limits.ts';
import { groupTypes } from '../../../../daemon/contract/permission.ts';
import type { UserGroup } from '../../../../daemon/contract/users.ts';
import { permissionNames } from '../../i18n/permission-text.ts';
import { groupPath } from '../../paths.ts';
import { Panel } from '../../ui/Panel.tsx';
import styles from './GroupCards.module.css';
import { namesOf } from './permission-set.ts';

interface GroupCardsProps {
  readonly groups: readonly UserGroup[];
  readonly onAdd: () => void;
}

export function GroupCards({ groups, onAdd }: GroupCardsProps) {
  const { t } = useLingui();
  const isFull = groups.length >= limits.userGroups;
  const add = (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={14} aria-hidden />}
      disabled={isFull}
      title={isFull ? t`There can be ${limits.userGroups} groups at most.` : undefined}
      onClick={onAdd}
    >
      <Trans>Add group</Trans>
    </Button>
  );
  return (
    <div className={styles.groups}>
      <Panel title={<Trans>User groups</Trans>} aside={add} isFlush>
        <ul className={styles.list}>
          {groups.map((group) => (
            <li key={group.id}>
              <GroupCard group={group} />
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function GroupCard({ group }: { group: UserGroup }) {
  const { i18n } = useLingui();
  const count = group.users?.length ?? 0;
  return (
    <Link className={styles.card} to={groupPath(group.id)}>
      <span className={styles.name}>{group.name}</span>
      <span className={styles.count}>
        {count === 0 ? <Trans>no members</Trans> : <Plural value={count} one="# member" other="# members" />}
      </span>
      <span className={styles.may}>
        {group.type === groupTypes.admin ? (
          <Trans>May do everything</Trans>
        ) : (
          permissionNames(i18n, namesOf(group.permission).join(', '))
        )}
      </span>
      <IconChevronRight className={styles.arrow} size={16} aria-hidden />
    </Link>
  );
}
