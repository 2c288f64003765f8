const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes as people read them: `512 B`, `3.4 MiB`. Pure. */
export function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
