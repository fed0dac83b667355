/** States that the hub's own NDI discovery server and its server for panels have in common. */
import { msg } from '@lingui/core/macro';
import { IconCircleDashed, IconHourglassLow } from '@tabler/icons-react';
import type { Look } from '../../ui/data/StateMark.tsx';

export const disabledLook: Look = { tone: 'off', icon: IconCircleDashed, text: msg`Disabled` };
export const retryLook: Look = { tone: 'warn', icon: IconHourglassLow, text: msg`Waiting to retry` };
