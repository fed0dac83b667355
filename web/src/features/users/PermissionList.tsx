import { useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import {
  adminOnlyPermissions,
  holds,
  maskOf,
  type Permission,
  permissions,
} from '../../../../daemon/contract/permission.ts';
import { meets } from '../../../../daemon/contract/variant.ts';
import { useVariant } from '../../api/session.ts';
import { permissionNames, permissionText } from '../../i18n/permission-text.ts';
import styles from './PermissionList.module.css';
import { permissionFields, toggle } from './permission-set.ts';

interface PermissionListProps {
  readonly mask: number;
  readonly onChange: (mask: number) => void;
  /** Of the administrators, who hold everything; or of somebody who may only look. */
  readonly isFixed: boolean;
  /** Mask of what may be chosen; a group's: all that others than administrators can hold. */
  readonly most?: number;
}

const mostOfGroups = maskOf(...permissions.filter((permission) => !adminOnlyPermissions.includes(permission)));

export function PermissionList({ mask, onChange, isFixed, most = mostOfGroups }: PermissionListProps) {
  const { i18n, t } = useLingui();
  const routesNdi = meets(useVariant(), 'ndiRouter');
  const [said, setSaid] = useState('');
  const change = (permission: Permission) => {
    const { mask: next, along } = toggle(mask, permission);
    const names = permissionNames(i18n, along.join(', '));
    if (along.length === 0) setSaid('');
    else
      setSaid(
        holds(next, permission)
          ? t`Also given, because it is needed: ${names}`
          : t`Also taken, because it needs that: ${names}`,
      );
    onChange(next);
  };
  const shown = permissionFields.filter((field) => routesNdi || !field.permissions.includes('ndiView'));
  return (
    <>
      <div className={styles.fields}>
        {shown.map(({ title, permissions: list }) => (
          <fieldset key={title.id} className={styles.field}>
            <legend>{i18n._(title)}</legend>
            {list.map((permission) => (
              <Checkbox
                key={permission}
                label={i18n._(permissionText[permission])}
                description={adminOnlyPermissions.includes(permission) ? t`Administrators only` : undefined}
                checked={holds(mask, permission)}
                disabled={isFixed || !holds(most, permission)}
                onChange={() => change(permission)}
              />
            ))}
          </fieldset>
        ))}
      </div>
      <p className={styles.said} role="status">
        {said}
      </p>
    </>
  );
}
