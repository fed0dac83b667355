/** Language: from the cookie, else the browser's. The cookie lives for 30 days from the last choice or visit. */
import { i18n } from '@lingui/core';
import { readCookie, writeCookie } from '../lib/cookies.ts';

export const locales = { en: 'English', zh: '中文' } as const;
export type Locale = keyof typeof locales;

const cookieName = 'signalbox-language';
const cookieDays = 30;

const catalogs: Record<Locale, () => Promise<{ messages: Parameters<typeof i18n.load>[1] }>> = {
  en: () => import('./locales/en.po'),
  zh: () => import('./locales/zh.po'),
};

function isLocale(text: string | undefined): text is Locale {
  return text !== undefined && Object.hasOwn(locales, text);
}

export function preferredLocale(): Locale {
  const chosen = readCookie(cookieName);
  if (isLocale(chosen)) return chosen;
  return navigator.languages.find((tag) => /^(en|zh)\b/.test(tag))?.startsWith('zh') ? 'zh' : 'en';
}

export async function activateLocale(locale: Locale): Promise<void> {
  const { messages } = await catalogs[locale]();
  i18n.loadAndActivate({ locale, messages });
  document.documentElement.lang = locale === 'zh' ? 'zh-CN' : 'en';
}

export async function chooseLocale(locale: Locale): Promise<void> {
  writeCookie(cookieName, locale, cookieDays);
  await activateLocale(locale);
}
