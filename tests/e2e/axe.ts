import type { Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The console has no frames, none of our rules needs axe's preloading, and only violations are read. */
const options: RunOptions = { runOnly: tags, iframes: false, preload: false, resultTypes: ['violations'] };

/** Some components fade in or between color schemes; in between, the contrast matches neither scheme. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });
}

/** Runs axe in the page, where it stays loaded. Returns one line per violation: rule, place, measurement. */
export async function axeFaults(page: Page): Promise<string[]> {
  await settle(page);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (given) => (window as unknown as { axe: typeof axe }).axe.run(document, given),
    options,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id} at ${node.target.join(' ')}: ${node.any[0]?.message ?? node.failureSummary ?? ''}`),
  );
}
