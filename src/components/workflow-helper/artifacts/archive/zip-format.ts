/** Signatures of the records of a zip file. */
export const LOCAL = 0x04034b50;
export const CENTRAL = 0x02014b50;
export const END = 0x06054b50;

/** Limits of the format without its 64-bit form. */
export const MOST_BYTES = 2 ** 32 - 2;
export const MOST_ENTRIES = 2 ** 16 - 2;
