import { useLingui } from '@lingui/react/macro';
import { type ReactNode, useEffect } from 'react';
import { chooseLocale, type Locale, locales } from '../../i18n/i18n.ts';
import { countPage } from '../../shared/page/pages-shown.ts';
import { Mark } from '../../ui/layout/Mark.tsx';
import styles from './AuthFrame.module.css';

/** The frame of the sign-in and setup pages. */
export function AuthFrame({ title, intro, children }: { title: string; intro: ReactNode; children: ReactNode }) {
  // The page that follows is not the first: it moves the focus, which would otherwise be lost with the form.
  useEffect(() => void countPage(), []);
  useEffect(() => {
    document.title = `${title}, Signalbox`;
  }, [title]);
  return (
    <div className={styles.page}>
      <div className={styles.corner}>
        <LanguageButtons />
      </div>
      <main className={styles.card}>
        <div className={styles.brand}>
          <Mark size={26} />
          <span>Signalbox</span>
        </div>
        <div>
          <h1 className={styles.title}>{title}</h1>
          <p className={styles.intro}>{intro}</p>
        </div>
        {children}
      </main>
    </div>
  );
}

/** Each language is named in itself, so that users who cannot read the page find their own. */
function LanguageButtons() {
  const { i18n } = useLingui();
  return (Object.keys(locales) as Locale[]).map((locale) => (
    <button
      key={locale}
      type="button"
      lang={locale}
      className={styles.language}
      aria-pressed={i18n.locale === locale}
      onClick={() => void chooseLocale(locale)}
    >
      {locales[locale]}
    </button>
  ));
}
