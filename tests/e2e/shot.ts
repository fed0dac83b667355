/** Defines a screenshot and the steps that bring a page into the required state. Independent of the language. */
import type { Page } from '@playwright/test';

export type Size = 'desk' | 'tablet' | 'phone';

export interface Shot {
  readonly name: string;
  readonly path: string;
  /** Runs before the page is opened. */
  readonly before?: (page: Page) => Promise<void>;
  /** Runs before the screenshot is taken. */
  readonly act?: (page: Page) => Promise<void>;
  readonly only?: Size;
  /** A second screenshot shows the page in its full height. */
  readonly isLong?: boolean;
  /** Shows the page while it waits for its data. */
  readonly isWaiting?: boolean;
}

const modal = '[aria-modal="true"]';

export const inDialog = (page: Page) => page.locator(modal);

/** Animations have ended, the last of them the loader in a button. */
export async function still(page: Page): Promise<void> {
  await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running'));
}

export async function openMenu(page: Page): Promise<void> {
  await page.locator('main [aria-haspopup="menu"]').first().click();
}

export async function lastOfMenu(page: Page): Promise<void> {
  await openMenu(page);
  await page.locator('[role="menu"]:popover-open button').last().click();
  await inDialog(page).waitFor();
}

export async function confirmAnyway(page: Page): Promise<void> {
  await lastOfMenu(page);
  await inDialog(page).locator('button').last().click();
  await page.waitForFunction(() => document.querySelector('[data-loading="true"]') === null);
  await still(page);
}

export function topMenu(index: number) {
  return async (page: Page) => {
    await page.locator('header [aria-haspopup="menu"]').nth(index).click();
  };
}

/** Another user makes these changes while a form is open. */
export async function meanwhile(page: Page, ...changes: [path: string, body: object][]): Promise<void> {
  await page.evaluate(async (list) => {
    for (const [path, body] of list) {
      const headers = { 'content-type': 'application/json' };
      await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    }
  }, changes);
}

/** The two options when another user saved first. */
export async function untilStale(page: Page): Promise<void> {
  await page.locator('form [role="alert"]').waitFor();
  await still(page);
}

export async function submit(page: Page): Promise<void> {
  await inDialog(page).locator('button[type="submit"]').click();
}

/** Names of protocols are the same in every language. */
export function choose(protocol: string) {
  return async (page: Page) => {
    const list = inDialog(page).locator('select[data-path="protocol"]');
    if ((await list.count()) > 0) await list.selectOption({ label: protocol });
    else await inDialog(page).getByText(protocol, { exact: true }).click();
    await still(page);
  };
}

/** The selector above a form whose options are translated. */
export function chooseAt(index: number) {
  return async (page: Page) => {
    await inDialog(page).locator('input[type="radio"] + label').nth(index).click();
    await still(page);
  };
}

export function typeIn(...values: [selector: string, text: string][]) {
  return async (page: Page) => {
    for (const [selector, text] of values) await page.locator(selector).first().fill(text);
  };
}

const fieldNamed = (page: Page, name: string) => inDialog(page).locator(`[data-path="${name}"]`);

export function fill(values: Readonly<Record<string, string>>) {
  return async (page: Page) => {
    for (const [name, text] of Object.entries(values)) await fieldNamed(page, name).fill(text);
  };
}

export function select(name: string, value: string) {
  return async (page: Page) => {
    await fieldNamed(page, name).selectOption(value);
  };
}

export function check(name: string) {
  return async (page: Page) => {
    await fieldNamed(page, name).check();
  };
}

export function all(...steps: ((page: Page) => Promise<void>)[]) {
  return async (page: Page) => {
    for (const step of steps) await step(page);
  };
}
