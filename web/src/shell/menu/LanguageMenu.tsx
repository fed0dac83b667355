import { useLingui } from '@lingui/react/macro';
import { IconLanguage } from '@tabler/icons-react';
import { chooseLocale, type Locale, locales } from '../../i18n/i18n.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import styles from '../frame/TopBar.module.css';

export function LanguageMenu() {
  const { i18n, t } = useLingui();
  const short = i18n.locale === 'zh' ? '中' : 'EN';
  return (
    <DropMenu
      label={t`Language: ${short}`}
      triggerClassName={styles.button}
      trigger={
        <>
          <IconLanguage size={17} stroke={1.7} aria-hidden />
          <span className={styles.language}>{short}</span>
        </>
      }
      items={() =>
        (Object.keys(locales) as Locale[]).map((locale) => ({
          key: locale,
          text: locales[locale],
          lang: locale,
          isChecked: i18n.locale === locale,
          onSelect: () => void chooseLocale(locale),
        }))
      }
    />
  );
}
