import { msg } from '@lingui/core/macro';
import {
  IconAlertTriangle,
  IconArrowsRightLeft,
  IconCircleDashed,
  IconCircleFilled,
  IconClock,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import type { NdiOutput } from '../../../../../daemon/contract/ndi-router.ts';
import { type Look, LookMark } from '../../../ui/data/StateMark.tsx';

const looks = {
  nameTaken: { tone: 'fault', icon: IconAlertTriangle, text: msg`Name taken` },
  failed: { tone: 'fault', icon: IconAlertTriangle, text: msg`Failed` },
  none: { tone: 'off', icon: IconCircleDashed, text: msg`No source` },
  standIn: { tone: 'warn', icon: IconArrowsRightLeft, text: msg`Backup source` },
  waiting: { tone: 'warn', icon: IconPlugConnectedX, text: msg`Source offline` },
  due: { tone: 'info', icon: IconClock, text: msg`Not in effect yet` },
  sent: { tone: 'live', icon: IconCircleFilled, text: msg`Routed` },
} as const satisfies Record<string, Look>;

export function OutputState({ output }: { output: NdiOutput }) {
  return <LookMark look={looks[wordOf(output)]} />;
}

function wordOf({ fault, in: routed, substitute, waiting, applied }: NdiOutput): keyof typeof looks {
  if (fault !== undefined) return fault;
  if (!applied && !waiting) return 'due';
  if (routed === null) return 'none';
  if (substitute !== null) return 'standIn';
  return waiting ? 'waiting' : 'sent';
}
