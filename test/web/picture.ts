import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityProblems } from './axe.ts';

const WIDTHS = [1440, 1024, 390] as const;
/** The widest and the narrowest: what is between has the parts of one of them. */
const CHECKED: readonly number[] = [1440, 390];
/** Width of A4 at 96 dots per inch, in pixels. */
const PAPER = 794;

/**
 * Writes pictures of a page as it is into a folder: in both themes, in three widths, with the colours that a system forces, and as it is printed, each from its
 * top to its end. Gives what axe finds in them.
 */
export async function takePictures(page: Page, folder: string, name: string): Promise<string[]> {
  const size = page.viewportSize();
  const found = new Set<string>();
  const take = async (how: string): Promise<void> => {
    await page.screenshot({ path: join(folder, `${name}-${how}.png`), fullPage: true });
  };
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await take(`${colorScheme}-${width}`);
      if (CHECKED.includes(width))
        for (const problem of await accessibilityProblems(page)) found.add(problem);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
  await take('forced');
  await page.setViewportSize({ width: PAPER, height: 900 });
  await page.emulateMedia({ forcedColors: 'none', media: 'print' });
  await take('print');
  await page.emulateMedia({ media: 'screen', forcedColors: null });
  if (size !== null) await page.setViewportSize(size);
  return [...found].map((problem) => `${name}: ${problem}`);
}

/** The same for people who set TURNSOLE_SCREENSHOTS to a folder; none where it is not set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.TURNSOLE_SCREENSHOTS;
  if (folder !== undefined) await takePictures(page, folder, name);
}
