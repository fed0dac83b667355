import { useLingui } from '@lingui/react/macro';
import { useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { DropMenu } from '../ui/DropMenu.tsx';
import styles from './TopBar.module.css';

const icons = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon } as const;

export function SchemeMenu() {
  const { t } = useLingui();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const names = { auto: t`Like the system`, light: t`Light`, dark: t`Dark` };
  const Current = icons[colorScheme];
  return (
    <DropMenu
      label={t`Appearance`}
      triggerClassName={styles.button}
      trigger={<Current size={17} stroke={1.7} aria-hidden />}
      items={() =>
        (['auto', 'light', 'dark'] as const).map((scheme) => ({
          key: scheme,
          text: names[scheme],
          icon: icons[scheme],
          isChecked: colorScheme === scheme,
          onSelect: () => setColorScheme(scheme),
        }))
      }
    />
  );
}
