import { expect, type Locator } from '@playwright/test';

/** Scrolls while the list grows, until the element at its very end is visible. */
export async function scrollToEnd(list: Locator, end: Locator): Promise<void> {
  await expect(async () => {
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await expect(end).toBeInViewport({ timeout: 500 });
  }).toPass();
}
