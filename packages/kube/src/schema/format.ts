/**
 * The text formats that the API server checks (`format` of a string). Names are compared without dashes, unknown ones
 * are not checked. Source: the format registry of kube-openapi.
 */
import { isIP, isIPv4, isIPv6 } from 'node:net';

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** RFC 3339 with a real date and no leap second, the form every Kubernetes time has. */
function isDateTime(text: string): boolean {
  const match = DATE_TIME.exec(text);
  if (match === null) return false;
  const [, date = '', hour = '', minute = '', second = ''] = match;
  return isDate(date) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isCidr(text: string): boolean {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text);
  if (match === null) return false;
  const family = isIP(match[1] ?? '');
  return family !== 0 && Number(match[2]) <= (family === 4 ? 32 : 128);
}

/** One label, or several whose last has letters only (at least two), so that an address is no host name. */
function isHostname(text: string): boolean {
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  const wellFormed = labels.every((label) => /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/.test(label));
  return wellFormed && text.length <= 255 && (labels.length === 1 || /^[A-Za-z]{2,63}$/.test(last));
}

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: isDateTime,
  date: isDate,
  duration: (text) =>
    /^[+-]?(?:\d+(?:\.\d+)?\s*(?:ns|us|µs|μs|ms|s|m|h|d|w)[a-z]*\s*)+$/.test(text) || text === '0',
  byte: (text) => text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: (text) => /^[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5,7}$/.test(text),
  uri: (text) => URL.canParse(text) || text.startsWith('/'),
  uuid: (text) =>
    /^[0-9A-Fa-f]{8}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{12}$/.test(text),
};

/** Whether the text has the format; true for formats that are not checked. */
export function hasFormat(format: string, text: string): boolean {
  const name = format.replaceAll('-', '');
  const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
  return check === undefined || check(text);
}
