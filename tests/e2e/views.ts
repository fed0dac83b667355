/** The views in which the walk visits the console, and the checks that it makes at each place. */
import { expect, type Page, type PlaywrightTestOptions } from '@playwright/test';
import { axeFaults, colorFaults } from './axe.ts';
import { foreignTexts } from './foreign-texts.ts';

const schemes = ['light', 'dark'] as const;

export interface View {
  readonly language: 'en' | 'zh';
  /** The color scheme of all checks. English views also check the colors of the other scheme. */
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

/** A tablet held upright: wider than a phone in the sense of `web/src/shell/screen.ts`. */
const tabletWidth = 820;

/** Returns by how many pixels the content of the page and of each open dialog is too wide. */
const overflow = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('[role=dialog], dialog')].map(
      (element) => element.scrollWidth - element.clientWidth,
    ),
  );

export async function look(page: Page, { language, scheme }: View, where: string): Promise<void> {
  const wide = await overflow(page);
  expect.soft(wide, `${where}: scrolls sideways`).toEqual(wide.map(() => 0));
  await lookOnTablet(page, where);
  if (language === 'zh') {
    expect.soft(await foreignTexts(page), `${where}: left in English`).toEqual([]);
    return;
  }
  expect.soft(await axeFaults(page), where).toEqual([]);
  for (const other of schemes.filter((one) => one !== scheme)) {
    await showIn(page, other);
    expect.soft(await colorFaults(page), `${where} in ${other}`).toEqual([]);
    await showIn(page, scheme);
  }
}

/** Between the widths of a phone and a desk, a table scrolls within the page. */
async function lookOnTablet(page: Page, where: string): Promise<void> {
  const desk = page.viewportSize();
  if (desk === null || desk.width <= tabletWidth) return;
  await page.setViewportSize({ ...desk, width: tabletWidth });
  const wide = await overflow(page);
  expect.soft(wide, `${where} on a tablet: scrolls sideways`).toEqual(wide.map(() => 0));
  await page.setViewportSize(desk);
}

/** Returns when the colors stand still: some components fade, and in between the contrast is that of neither scheme. */
async function showIn(page: Page, scheme: (typeof schemes)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme);
  await page.evaluate(async () => {
    const fading = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    // A transition that is replaced by another one, or whose element goes, rejects.
    await Promise.allSettled(fading.map(({ finished }) => finished));
  });
}
