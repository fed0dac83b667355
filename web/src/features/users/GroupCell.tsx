import { useLingui } from '@lingui/react/macro';
import { Link } from 'react-router-dom';
import type { User } from '../../../../daemon/contract/users.ts';
import { groupName } from '../../i18n/group-name.ts';
import { groupPath } from '../../lib/paths.ts';
import styles from './UserListPage.module.css';

/** The group of a user, as a link to its page. */
export function GroupCell({ user: { 'group-id': id, 'group-name': name } }: { user: User }) {
  const { i18n } = useLingui();
  return (
    <Link className={styles.link ?? ''} to={groupPath(id)}>
      {groupName(i18n, id, name)}
    </Link>
  );
}
