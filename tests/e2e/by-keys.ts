import { expect, type Page } from '@playwright/test';
import { accounts } from './accounts.ts';

/** More stops than a page with its menu has. */
const maxSteps = 80;

/** Presses Tab until the wanted element has the focus, like a user without a mouse. */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp): Promise<void> {
  const target = page.getByRole(role, { name });
  for (let step = 0; step < maxSteps; step++) {
    await page.keyboard.press('Tab');
    if (await target.evaluateAll((all) => all.some((one) => one === document.activeElement))) return;
  }
  throw new Error(`${maxSteps} steps of Tab did not reach ${role} ${name}`);
}

/** From the sign-in page to the dashboard, or to the requested page. */
export async function signInByKeys(page: Page, path = '/login', heading = 'Dashboard'): Promise<void> {
  const { keyboard } = page;
  await page.goto(`/#${path}`);
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeFocused();
  await keyboard.type(accounts.admin.id);
  await keyboard.press('Tab');
  await keyboard.type(accounts.admin.password);
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
}
