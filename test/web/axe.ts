import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const OPTIONS = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  // Copies of all style sheets, for one rule about the screen's orientation: a strict policy refuses them, and one that is just replaced is an error.
  preload: false,
};

/** What axe reports of a rule that does not hold. */
interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What is not accessible in a page by WCAG 2.2 A and AA, a line for each element; empty where axe finds nothing. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE);
  const violations: Violation[] = await page.evaluate(
    `axe.run(${JSON.stringify(OPTIONS)}).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)}: ${failureSummary}`),
  );
}
