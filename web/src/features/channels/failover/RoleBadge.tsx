import { msg } from '@lingui/core/macro';
import { IconPhotoOff, IconShieldHalf } from '@tabler/icons-react';
import type { InputRole } from '../../../../../daemon/contract/failover.ts';
import { type Look, LookMark } from '../../../ui/data/StateMark.tsx';

const looks: Readonly<Record<InputRole, Look | undefined>> = {
  main: undefined,
  backup: { tone: 'warn', icon: IconShieldHalf, text: msg`Backup` },
  slate: { tone: 'fault', icon: IconPhotoOff, text: msg`Slate` },
};

/** Renders nothing while the main input is on air. */
export function RoleBadge({ role }: { role: InputRole }) {
  const look = looks[role];
  return look && <LookMark look={look} />;
}
