import { useLingui } from '@lingui/react/macro';
import { Menu, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import styles from './TopBar.module.css';

const icons = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon } as const;

export function SchemeMenu() {
  const { t } = useLingui();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const names = { auto: t`Like the system`, light: t`Light`, dark: t`Dark` };
  const Current = icons[colorScheme];
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className={styles.button} aria-label={t`Appearance`}>
          <Current size={17} stroke={1.7} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['auto', 'light', 'dark'] as const).map((scheme) => {
          const Icon = icons[scheme];
          return (
            <Menu.Item
              key={scheme}
              role="menuitemradio"
              aria-checked={colorScheme === scheme}
              leftSection={<Icon size={16} stroke={1.7} aria-hidden />}
              rightSection={colorScheme === scheme ? <IconCheck size={14} /> : <span />}
              onClick={() => setColorScheme(scheme)}
            >
              {names[scheme]}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
