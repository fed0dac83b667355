/** Language: from the cookie, else the hub's, else the browser's. The cookie lives for 30 days from the last choice. */
import { i18n, type Messages } from '@lingui/core';
import { readCookie, writeCookie } from '../lib/cookies.ts';
import { loadPart } from '../lib/lazy-part.tsx';

export const locales = { en: 'English', zh: '中文' } as const;
export type Locale = keyof typeof locales;

/**
 * `entry` is what the sign-in page needs, `inside` the dashboard and the frame of all pages, `devices` the pages of
 * devices, `appliance` those of the network, `upkeep` certificate, import, reset and restart, `pages` the
 * rest.
 */
export type Part = 'entry' | 'inside' | 'pages' | 'devices' | 'appliance' | 'upkeep' | 'ndi';

const cookieName = 'signalbox-language';
const cookieDays = 30;
type Catalog = () => Promise<{ messages: Messages }>;
const catalogs: Record<Locale, Record<Part, Catalog>> = {
  en: {
    entry: () => import('./locales/en/entry.po'),
    inside: () => import('./locales/en/inside.po'),
    pages: () => import('./locales/en/pages.po'),
    devices: () => import('./locales/en/devices.po'),
    appliance: () => import('./locales/en/appliance.po'),
    upkeep: () => import('./locales/en/upkeep.po'),
    ndi: () => import('./locales/en/ndi.po'),
  },
  zh: {
    entry: () => import('./locales/zh/entry.po'),
    inside: () => import('./locales/zh/inside.po'),
    pages: () => import('./locales/zh/pages.po'),
    devices: () => import('./locales/zh/devices.po'),
    appliance: () => import('./locales/zh/appliance.po'),
    upkeep: () => import('./locales/zh/upkeep.po'),
    ndi: () => import('./locales/zh/ndi.po'),
  },
};

const parts = new Set<Part>(['entry']);
let chosen: Locale = 'en';

function isLocale(text: string | undefined): text is Locale {
  return text !== undefined && Object.hasOwn(locales, text);
}

/** `hubLanguage`: asked only if this browser has no choice of its own. */
export async function preferredLocale(hubLanguage: () => Promise<string | undefined>): Promise<Locale> {
  const kept = keptLocale();
  if (kept !== undefined) return kept;
  const ofHub = await hubLanguage();
  return isLocale(ofHub) ? ofHub : browserLocale();
}

function keptLocale(): Locale | undefined {
  const kept = readCookie(cookieName);
  return isLocale(kept) ? kept : undefined;
}

function browserLocale(): Locale {
  return navigator.languages.find((tag) => /^(en|zh)\b/.test(tag))?.startsWith('zh') ? 'zh' : 'en';
}

/** Fetches texts of what is probably the language, before it is known. Failures are left to `addTexts`. */
export function fetchTexts(...wanted: readonly Part[]): void {
  const locale = keptLocale() ?? browserLocale();
  for (const part of wanted) catalogs[locale][part]().catch(() => undefined);
}

export async function activateLocale(locale: Locale): Promise<void> {
  chosen = locale;
  await Promise.all([...parts].map((part) => load(locale, part)));
  i18n.activate(locale);
  document.documentElement.lang = locale === 'zh' ? 'zh-CN' : 'en';
}

export async function chooseLocale(locale: Locale): Promise<void> {
  writeCookie(cookieName, locale, cookieDays);
  await activateLocale(locale);
}

/** Called before pages that need these texts are shown. */
export async function addTexts(part: Part): Promise<void> {
  parts.add(part);
  await load(chosen, part);
}

async function load(locale: Locale, part: Part): Promise<void> {
  const { messages } = await loadPart(catalogs[locale][part]);
  i18n.load(locale, messages);
}
