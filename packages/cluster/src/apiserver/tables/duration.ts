/**
 * A time span as kubectl shows it: two units at most, fewer the longer it is (`45s`, `3m20s`, `17m`, `5h`, `2d3h`, `40d`).
 * Source of the steps: k8s.io/apimachinery `pkg/util/duration` HumanDuration, as seen in its output.
 */
export function formatDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 60 * 2) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 60 * 3) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (days < 365 * 8) return pair(years, 'y', days % 365, 'd');
  return `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** Time since a timestamp of the API, or `<unknown>`. */
export function formatAge(since: unknown, now: number): string {
  if (typeof since !== 'string') return '<unknown>';
  const at = Date.parse(since);
  return Number.isNaN(at) ? '<unknown>' : formatDuration(now - at);
}
