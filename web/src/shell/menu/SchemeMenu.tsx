import { useLingui } from '@lingui/react/macro';
import { useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { schemeNames, schemes } from '../../shared/page/scheme-names.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import styles from '../frame/TopBar.module.css';

const icons = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon } as const;

export function SchemeMenu() {
  const { i18n, t } = useLingui();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Current = icons[colorScheme];
  return (
    <DropMenu
      label={t`Appearance`}
      triggerClassName={styles.button}
      trigger={<Current size={17} stroke={1.7} aria-hidden />}
      items={() =>
        schemes.map((scheme) => ({
          key: scheme,
          text: i18n._(schemeNames[scheme]),
          icon: icons[scheme],
          isChecked: colorScheme === scheme,
          onSelect: () => setColorScheme(scheme),
        }))
      }
    />
  );
}
