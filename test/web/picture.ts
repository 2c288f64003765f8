import { join } from 'node:path';
import type { Page } from 'playwright-core';

const WIDTHS = [1440, 1024, 390] as const;

/** Writes pictures of a page as it is into a folder: in both themes, in three widths, from its top to its end. */
export async function takePictures(page: Page, folder: string, name: string): Promise<void> {
  const size = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (size !== null) await page.setViewportSize(size);
}

/** The same for people who set TURNSOLE_SCREENSHOTS to a folder; none where it is not set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.TURNSOLE_SCREENSHOTS;
  if (folder !== undefined) await takePictures(page, folder, name);
}
