import { Refusal } from '../../access/refusal.ts';

const FORMAT = 'Correct format: "key1=value2,key2=value2"';
const FIELD = { fields: ['request.nodeSelector'] };

/** Reads `key=value,…`; empty for none. Pure. @throws Refusal with upstream's texts */
export function parseNodeSelector(text: string | null | undefined): Readonly<Record<string, string>> {
  if (text === null || text === undefined || text.trim() === '') return {};
  if (/["'\\]/.test(text)) {
    const what = 'node selector environment variable contains escape character(s).';
    throw new Refusal('invalid', `${what} ${FORMAT}`, FIELD);
  }
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  if (pairs.some(([key = '', value = '', ...more]) => key === '' || value === '' || more.length > 0)) {
    throw new Refusal('invalid', `node selector environment variable is not correct. ${FORMAT}`, FIELD);
  }
  return Object.fromEntries(pairs);
}
