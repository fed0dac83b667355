import { useLingui } from '@lingui/react/macro';
import type { InputRole } from '../../../../../daemon/contract/failover.ts';
import { StateMark } from '../../../ui/data/StateMark.tsx';
import { roleLooks } from './role-look.ts';

/** Renders nothing while the main input is on air. */
export function RoleBadge({ role }: { role: InputRole }) {
  const { i18n } = useLingui();
  const look = roleLooks[role];
  if (look === undefined) return null;
  return (
    <StateMark tone="warn" icon={look.icon}>
      {i18n._(look.text)}
    </StateMark>
  );
}
