/**
 * The text formats that the API server checks (`format` of a string). Names are compared without dashes, unknown ones
 * are not checked. Source: the format registry of kube-openapi.
 */
import { isIP, isIPv4, isIPv6 } from 'node:net';

const LEADING_DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:[Zz]|[+-]\d{2}:?\d{2})$/;

/** RFC 3339 with a real date, the form every Kubernetes time has. */
export function isDateTime(text: string): boolean {
  const match = LEADING_DATE_TIME.exec(text);
  if (match === null) return false;
  const [, , , , hour = '', minute = '', second = ''] = match;
  return isDate(text.slice(0, 10)) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 61;
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

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: isDateTime,
  date: isDate,
  duration: (text) =>
    /^[+-]?(?:\d+(?:\.\d+)?\s*(?:ns|us|µs|μs|ms|s|m|h|d|w)[a-z]*\s*)+$/.test(text) || text === '0',
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  hostname: (text) =>
    text.length <= 255 &&
    /^[A-Za-z0-9]([A-Za-z0-9-]{0,62})?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,62})?)*$/.test(text),
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

const MAX_INT32 = 2 ** 31 - 1;
const MAX_INT64 = 2 ** 63;

/** Whether the whole number fits `int32` or, with any other or no format, `int64`. */
export function fitsInteger(format: string | undefined, value: number): boolean {
  if (format === 'int32') return value >= -MAX_INT32 - 1 && value <= MAX_INT32;
  return value >= -MAX_INT64 && value <= MAX_INT64;
}
