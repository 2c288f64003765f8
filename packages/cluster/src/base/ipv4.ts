/** IPv4 addresses as numbers, so that blocks of them can be counted through. */

/** The number of an address; NaN for text that is no address. */
export function parseIPv4(text: string): number {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255))
    return Number.NaN;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

export function formatIPv4(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
