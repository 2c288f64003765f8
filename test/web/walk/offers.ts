/** What a page offers to do. */
import type { Page } from 'playwright-core';

/** What everybody may do: look, order, filter, compare, export, and what concerns oneself. */
const FOR_EVERYBODY: readonly RegExp[] = [
  /^Menu$|^Columns of |^Go to …|^Skip to|^Try again$|^Show all$|^Close$|^Show before and after|^Look again$|^Refresh$|^Copy the command: /,
];

/** Names of what can be pressed or followed to change something, but what everybody may do, and what of a view is for reading. */
export async function offersOf(page: Page, reads: RegExp | undefined): Promise<string[]> {
  const names = (await page.evaluate(`[...document.querySelectorAll('button, summary, a[href*="/studio"]')]
    .filter((one) => one.checkVisibility() && one.closest('thead') === null)
    .map((one) => (one.ariaLabel || one.textContent).trim())`)) as string[];
  const known = reads === undefined ? FOR_EVERYBODY : [...FOR_EVERYBODY, reads];
  return names.filter((name) => !known.some((one) => one.test(name)));
}
