import { Trans, useLingui } from '@lingui/react/macro';
import { maskOf, permissions } from '../../../../daemon/contract/permission.ts';
import { useVariant } from '../../api/session.ts';
import { permissionNames } from '../../i18n/permission-text.ts';
import { namesOf } from '../../shared/users/permission-set.ts';

const everything = maskOf(...permissions);

export function RightsCell({ mask }: { mask: number }) {
  const { i18n } = useLingui();
  const names = namesOf(mask, useVariant());
  if ((mask & everything) >>> 0 === everything) return <Trans>everything</Trans>;
  if (names.length === 0) return <Trans>no permissions left</Trans>;
  const text = permissionNames(i18n, names.join(', '));
  return <span title={text}>{text}</span>;
}
