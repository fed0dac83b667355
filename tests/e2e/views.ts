/** The views in which the walk visits the console, and the checks that it makes at each place. */
import { expect, type Page, type PlaywrightTestOptions } from '@playwright/test';
import { axeFaults } from './axe.ts';
import { foreignTexts } from './foreign-texts.ts';

type Scheme = 'light' | 'dark';

export interface View {
  readonly language: 'en' | 'zh';
  /** The color scheme of the first place. English views change it at each place, so that no two of them agree. */
  readonly scheme: Scheme;
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

/**
 * A tablet held upright: between the widths of a phone (see `web/src/lib/screen.ts`) and a desk, a table scrolls within
 * the page.
 */
const tabletWidth = 820;

/** Returns by how many pixels the page, `main`, which scrolls by itself, and each dialog overflow sideways. */
const overflow = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, [role=dialog], dialog')].map(
      (element) => element.scrollWidth - element.clientWidth,
    ),
  );

const softly = expect.configure({ soft: true, timeout: 3000 });

/** Waits for charts, which take the width of the page some frames after it has changed. */
const expectNoOverflow = (page: Page, where: string) =>
  softly
    .poll(async () => (await overflow(page)).filter((pixels) => pixels > 0), `${where}: scrolls sideways`)
    .toEqual([]);

/**
 * Checks the page at its width and in its color scheme, then at the other width. It keeps that width and the other
 * scheme for the next place: a change takes a while. The contrast of colors, which takes most of the time, is measured
 * once per place and scheme, as desk and phone begin with different schemes. Chinese texts are shorter than the English
 * ones that were checked at both widths.
 */
export async function look(page: Page, { language, options }: View, where: string): Promise<void> {
  await expectNoOverflow(page, where);
  if (language === 'zh') {
    expect.soft(await foreignTexts(page), `${where}: left in English`).toEqual([]);
    return;
  }
  const shown = await shownScheme(page);
  expect.soft(await axeFaults(page), `${where}, ${shown}`).toEqual([]);
  const desk = options.viewport;
  const width = page.viewportSize()?.width ?? 0;
  if (desk && desk.width > tabletWidth) {
    const other = width === tabletWidth ? desk.width : tabletWidth;
    await page.setViewportSize({ ...desk, width: other });
    await expectNoOverflow(page, `${where} at ${other} px`);
  }
  await showIn(page, shown === 'light' ? 'dark' : 'light');
}

const shownScheme = (page: Page) =>
  page.evaluate((): Scheme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));

export async function showIn(page: Page, scheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme);
}
