import type { Page } from '@playwright/test';

/** Presses Tab until the wanted element has the focus, as a person without a mouse would. */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp): Promise<void> {
  const target = page.getByRole(role, { name });
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab');
    if (await target.evaluateAll((all) => all.some((one) => one === document.activeElement))) return;
  }
  throw new Error(`40 steps of Tab did not reach ${role} ${name}`);
}
