/**
 * Milliseconds as people read them, in the unit that fits: `12 ms`, `2.1 s`, `3 min 20 s`. Pure.
 *
 * Texts that programs read are `formatDuration`'s.
 */
export function humanTime(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '';
  const ms = Math.abs(milliseconds);
  if (ms < 1000 - 0.5) return `${sign}${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 1200) return `${sign}${tenths / 10} s`;
  const seconds = Math.round(ms / 1000);
  const rest = seconds % 60;
  return `${sign}${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
}
