import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { IconChevronRight, IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router-dom';
import { limits } from '../../../../daemon/contract/limits.ts';
import { groupTypes } from '../../../../daemon/contract/permission.ts';
import type { UserGroup } from '../../../../daemon/contract/users.ts';
import { useVariant } from '../../api/session.ts';
import { groupName } from '../../i18n/group-name.ts';
import { groupPath } from '../../lib/paths.ts';
import { namesOf } from '../../shared/users/permission-set.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import styles from './GroupCards.module.css';

interface GroupCardsProps {
  readonly groups: readonly UserGroup[];
  readonly onAdd: () => void;
}

export function GroupCards({ groups, onAdd }: GroupCardsProps) {
  const { t } = useLingui();
  const { userGroups: limit } = limits;
  const full = groups.length >= limit ? t`Limit of ${limit} groups reached. Delete one to add another.` : undefined;
  const add = (
    <WithReason reason={full}>
      <Button size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={onAdd}>
        <Trans>Add group</Trans>
      </Button>
    </WithReason>
  );
  return (
    <Stack gap={14}>
      {full && <Banner tone="info" title={full} />}
      <Panel title={<Trans>User groups</Trans>} aside={add} isFlush>
        <ul className={styles.list}>
          {groups.map((group) => (
            <li key={group.id}>
              <GroupCard group={group} />
            </li>
          ))}
        </ul>
      </Panel>
    </Stack>
  );
}

function GroupCard({ group }: { group: UserGroup }) {
  const { i18n } = useLingui();
  const variant = useVariant();
  const count = group.users?.length ?? 0;
  return (
    <Link className={styles.card} to={groupPath(group.id)}>
      <span className={styles.name}>{groupName(i18n, group.id, group.name)}</span>
      <span className={styles.count}>
        {count === 0 ? <Trans>no members</Trans> : <Plural value={count} one="# member" other="# members" />}
      </span>
      <span className={styles.may}>
        {group.type === groupTypes.admin ? (
          <Trans>Full access</Trans>
        ) : (
          <Plural value={namesOf(group.permission, variant).length} one="# permission" other="# permissions" />
        )}
      </span>
      <IconChevronRight className={styles.arrow} size={16} aria-hidden />
    </Link>
  );
}
