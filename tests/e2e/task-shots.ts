/** Screenshots of the tray of tasks, on a hub with the pens of tests/fixtures. */
import type { Page } from '@playwright/test';
import type { Pens } from './pens.ts';
import { all, inDialog, type Shot, still } from './shot.ts';

export async function beginTasks(pens: Pens): Promise<void> {
  await pens.fill(2, 'North hall');
  await pens.release(1);
  await pens.release(2);
  await pens.fill(5, 'Control room and the rack next door');
  await pens.release(1, { isLost: true });
  for (const id of [2, 3, 4, 5]) await pens.release(id);
  await pens.fill(12, 'Store room');
  for (const id of [1, 2, 3, 4, 6]) await pens.release(id);
  await pens.release(5, { isLost: true });
  await pens.fill(120, 'All of the outside broadcast vans');
}

const button = (page: Page) => page.locator('header button[aria-haspopup="dialog"][aria-expanded]');
const panel = (page: Page) => page.locator('header [popover]:popover-open');

async function openTray(page: Page): Promise<void> {
  await button(page).click();
  await panel(page).locator('li').first().waitFor();
}

function expand(index: number) {
  return async (page: Page) => {
    await panel(page).locator('button[aria-expanded]').nth(index).click();
    await panel(page).locator('li li').first().waitFor();
    await still(page);
  };
}

export const taskShots: readonly Shot[] = [
  { name: 'task-button', path: '/dashboard', act: (page) => button(page).waitFor() },
  { name: 'tasks', path: '/dashboard', act: openTray },
  { name: 'task-running', path: '/dashboard', act: all(openTray, expand(1)) },
  { name: 'task-ended', path: '/dashboard', act: all(openTray, expand(2)) },
  {
    name: 'task-cancel',
    path: '/dashboard',
    async act(page) {
      await openTray(page);
      await panel(page).locator('li button[aria-labelledby]').first().click();
      await inDialog(page).waitFor();
      await still(page);
    },
  },
];
