/** The views of the console that the walk takes, and what it looks for at each place. */
import { expect, type Page, type PlaywrightTestOptions } from '@playwright/test';
import { axeFaults, colorFaults } from './axe.ts';
import { foreignTexts } from './foreign-texts.ts';

const schemes = ['light', 'dark'] as const;

export interface View {
  readonly language: 'en' | 'zh';
  /** The scheme of the whole check; the colors of the other one are checked as well. Chinese changes no color. */
  readonly scheme: (typeof schemes)[number];
  readonly options: Partial<Pick<PlaywrightTestOptions, 'viewport' | 'locale' | 'isMobile' | 'hasTouch'>>;
}
export const views = {
  'on a desk': { language: 'en', scheme: 'light', options: { viewport: { width: 1440, height: 900 } } },
  'on a phone': {
    language: 'en',
    scheme: 'dark',
    options: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  },
  'in Chinese': { language: 'zh', scheme: 'light', options: { locale: 'zh-CN' } },
} as const satisfies Record<string, View>;

/** How much wider than its frame the page or an open dialog is. Pixels. */
const overflow = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('[role=dialog], dialog')].map(
      (element) => element.scrollWidth - element.clientWidth,
    ),
  );

export async function look(page: Page, { language, scheme }: View, where: string): Promise<void> {
  const wide = await overflow(page);
  expect.soft(wide, `${where}: scrolls sideways`).toEqual(wide.map(() => 0));
  if (language === 'zh') {
    expect.soft(await foreignTexts(page), `${where}: left in English`).toEqual([]);
    return;
  }
  expect.soft(await axeFaults(page), where).toEqual([]);
  for (const other of schemes.filter((one) => one !== scheme)) {
    await page.emulateMedia({ colorScheme: other });
    expect.soft(await colorFaults(page), `${where} in ${other}`).toEqual([]);
    await page.emulateMedia({ colorScheme: scheme });
  }
}
