/** What differs between two runs of one line on the same cluster, made equal. */

/** What the two clusters call the same thing. */
export interface Surroundings {
  /** Name of the only node. */
  readonly node: string;
  /** Address of the API server, `https://127.0.0.1:16443`. */
  readonly server: string;
  /** Folder that the line was said in. */
  readonly folder: string;
}

/** The letters that Kubernetes makes names and hashes of: no vowels, no digits that look like letters. */
const SAFE = '[bcdfghjklmnpqrstvwxz2456789]';

/** Text by text, in this order: a rule may count on those before it. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // Long enough that no word of a manifest is taken for one; a hash of a template has eight to ten letters.
  [new RegExp(`-${SAFE}{8,10}-${SAFE}{5}\\b`, 'g'), '-<hash>-<random>'],
  [new RegExp(`([-= ":])${SAFE}{8,10}(?=[\\s",)\\]]|$)`, 'gm'), '$1<hash>'],
  [
    new RegExp(
      `(?<=[a-z0-9]-)(?=[a-z]*[0-9]|[bcdfghjklmnpqrstvwxz]{5}\\b)${SAFE}{5}(?=[\\s"'/,.;:)\\]]|$)`,
      'gm',
    ),
    '<random>',
  ],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\b20(?:2[5-9]|[3-9]\d)-\d\d-\d\d(?:T| )\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d{4}(?: [A-Z]+)?)/g, '<time>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/\bv\d+\.\d+\.\d+(?:-[\w.]+)?(?= *$)/gm, '<version of the program>'],
  [/(resourceVersion"?: ?"?|resourceVersion=)\d+/g, '$1<version>'],
  [/(Resource ?Version:\s+)\d+/g, '$1<version>'],
  [/\/tmp\/(LIVE|MERGED|kubectl-edit)-\d+/g, '/tmp/$1-<random>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/https:\/\/(?:127\.0\.0\.1|10\.\d+\.\d+\.\d+|localhost):\d+/g, '<server>'],
  // Addresses of the machine or the cluster; manifests use those kept for examples (RFC 5737).
  [
    /(?<![\d.])(?!192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|0\.0\.0\.0)(?:10|127|172|192)\.\d+\.\d+\.\d+\b/g,
    '<address>',
  ],
  [/("serverAddress":"<address>):\d+/g, '$1:<port>'],
  [/\b3[0-2]\d{3}(?=\/(?:TCP|UDP))/g, '<node port>'],
  [/(nodePort"?: )3[0-2]\d{3}/g, '$1<node port>'],
  // Not a quantity: `cpu: 100m`, `cpu=100m`.
  [/(?<![\w.:=-]|(?:cpu|memory|storage)"?:\s*)(?:\d+[ydhms]){1,2}(?: ago)?(?=\s|$|\)| \()/gm, '<age>'],
  [/<invalid>(?= *$)/gm, '<age>'], // less than no time, where two clocks differ by a hair
  [/\(x\d+ over <age>\)/g, ''],
  // klog's line: time and process.
  [/^([EIWF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (?=\w+\.go:\d+\])/gm, '$1 '],
  // From 1.33 on kubectl names the namespace of what it has deleted.
  [/( deleted) from \S+ namespace\b/g, '$1'],
];

/**
 * Columns are as wide as their longest text, made-up names included: between words one blank is as good as many. What a line begins with
 * stays, as YAML needs it.
 */
function withoutPadding(line: string): string {
  const start = /^ */.exec(line)?.[0] ?? '';
  return (
    start +
    line
      .slice(start.length)
      .replace(/[ \t]+/g, ' ')
      .trimEnd()
  );
}

/** The lines of what a program printed, without what differs from run to run. Pure. */
export function normaliseText(text: string, { node, server, folder }: Surroundings): string[] {
  let replaced = text
    .replaceAll(folder, '<folder>')
    .replaceAll(server, '<server>')
    .replaceAll(node, '<node>');
  for (const [pattern, by] of RULES) replaced = replaced.replace(pattern, by);
  const lines = replaced.split('\n').map(withoutPadding);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
