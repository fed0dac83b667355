import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules whose outcome depends on the color scheme. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** In the mode for pages without frames, which needs no second page. One line per fault: rule, place, measure. */
async function faultsOf(builder: AxeBuilder): Promise<string[]> {
  const { violations } = await builder.setLegacyMode().analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id} at ${node.target.join(' ')}: ${node.any[0]?.message ?? node.failureSummary ?? ''}`),
  );
}

/** No rule of ours needs what axe preloads (style sheets and media), and only violations are read: saves a fifth of the CPU. */
const axe = (page: Page) => new AxeBuilder({ page }).options({ preload: false, resultTypes: ['violations'] });

export function axeFaults(page: Page): Promise<string[]> {
  return faultsOf(axe(page).withTags(tags));
}

export function colorFaults(page: Page): Promise<string[]> {
  return faultsOf(axe(page).withRules(colorRules));
}
