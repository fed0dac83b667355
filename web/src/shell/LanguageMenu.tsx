import { useLingui } from '@lingui/react/macro';
import { Menu } from '@mantine/core';
import { IconCheck, IconLanguage } from '@tabler/icons-react';
import { chooseLocale, type Locale, locales } from '../i18n/i18n.ts';
import styles from './TopBar.module.css';

export function LanguageMenu() {
  const { i18n, t } = useLingui();
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className={styles.button} aria-label={t`Language`}>
          <IconLanguage size={17} stroke={1.7} aria-hidden />
          <span aria-hidden>{i18n.locale === 'zh' ? '中' : 'EN'}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(locales) as Locale[]).map((locale) => (
          <Menu.Item
            key={locale}
            lang={locale}
            role="menuitemradio"
            aria-checked={i18n.locale === locale}
            rightSection={i18n.locale === locale ? <IconCheck size={14} /> : <span />}
            onClick={() => void chooseLocale(locale)}
          >
            {locales[locale]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
