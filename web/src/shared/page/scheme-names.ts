import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { MantineColorScheme } from '@mantine/core';

export const schemeNames: Record<MantineColorScheme, MessageDescriptor> = {
  auto: msg`Same as the system`,
  light: msg`Light`,
  dark: msg`Dark`,
};
export const schemes = ['auto', 'light', 'dark'] as const;
