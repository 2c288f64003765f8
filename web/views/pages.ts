/** Rows of one page of a list. */
export const PAGE_ROWS = 50;

/** The page in a link, from 0. */
export function pageOf(page: number | undefined): number {
  return page ?? 0;
}
