import { expect, type Locator } from '@playwright/test';

/** Scrolls on while the list grows, until what stands at its very end is in sight. */
export async function scrollToEnd(list: Locator, end: Locator): Promise<void> {
  await expect(async () => {
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await expect(end).toBeInViewport({ timeout: 500 });
  }).toPass();
}
