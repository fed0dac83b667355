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
import { useVariant } from '../../api/session.ts';
import { permissionNames, permissionText } from '../../i18n/permission-text.ts';
import styles from './PermissionList.module.css';
import { fieldsOf, toggle } from './permission-set.ts';

interface PermissionListProps {
  readonly mask: number;
  /** The stored mask; differences are marked. */
  readonly before?: number;
  readonly onChange: (mask: number) => void;
  /** True for the administrators group, which has all permissions, or if the user may only view. */
  readonly isFixed: boolean;
  /** Mask of selectable permissions; default: all except administrator-only ones. */
  readonly max?: number;
}

const maxOfGroups = maskOf(...permissions.filter((permission) => !adminOnlyPermissions.includes(permission)));

export function PermissionList({ mask, before = mask, onChange, isFixed, max = maxOfGroups }: PermissionListProps) {
  const { i18n, t } = useLingui();
  const variant = useVariant();
  const [summary, setSummary] = useState('');
  const change = (permission: Permission) => {
    const { mask: next, along } = toggle(mask, permission);
    setSummary(sentence(holds(next, permission), permissionNames(i18n, along.join(', '))));
    onChange(next);
  };
  const sentence = (isGiven: boolean, names: string): string => {
    if (names === '') return '';
    return isGiven ? t`Also granted (required): ${names}` : t`Also removed (depends on it): ${names}`;
  };
  const lack = (permission: Permission): string | undefined => {
    if (adminOnlyPermissions.includes(permission)) return t`Administrators only`;
    return holds(max, permission) ? undefined : t`You do not have this permission`;
  };
  return (
    <>
      <div className={styles.fields}>
        {fieldsOf(variant).map(({ title, permissions: list }) => (
          <fieldset key={title.id} className={styles.field}>
            <legend>{i18n._(title)}</legend>
            {list.map((permission) => (
              <Checkbox
                key={permission}
                label={
                  <>
                    {i18n._(permissionText[permission])}
                    {holds(mask, permission) !== holds(before, permission) && (
                      <ChangeMark isGiven={holds(mask, permission)} />
                    )}
                  </>
                }
                description={lack(permission)}
                checked={holds(mask, permission)}
                disabled={isFixed || !holds(max, permission)}
                onChange={() => change(permission)}
              />
            ))}
          </fieldset>
        ))}
      </div>
      <p className={styles.summary} role="status">
        {summary}
      </p>
    </>
  );
}

/** Marks an unsaved change. */
function ChangeMark({ isGiven }: { isGiven: boolean }) {
  const { t } = useLingui();
  const text = isGiven ? t`will be granted` : t`will be removed`;
  return (
    <span className={styles.mark} data-given={isGiven} role="img" aria-label={text} title={text}>
      {isGiven ? '+' : '−'}
    </span>
  );
}
