/** Glyphs on the field of an icon, by words in the fault's name; the first that fits. Strokes on 24 by 24 units. */
const GLYPHS: readonly (readonly [words: RegExp, strokes: string])[] = [
  [/delete|kill|failure/, 'M7 7 17 17M17 7 7 17'],
  [/autoscaler/, 'M12 5v14M8 9l4-4 4 4M8 15l4 4 4-4'],
  [/cpu|ssm/, 'M8 8h8v8H8zM10 5v3M14 5v3M10 16v3M14 16v3M5 10h3M5 14h3M16 10h3M16 14h3'],
  [/memory/, 'M5 9h14v6H5zM8 15v3M12 15v3M16 15v3'],
  [/stop|terminate|poweroff/, 'M8 8h8v8H8z'],
  [/disk|io-|fio|ebs/, 'M6 7c0-2 12-2 12 0v10c0 2-12 2-12 0zM6 7c0 2 12 2 12 0'],
  [/partition|az-chaos/, 'M5 12h4M15 12h4M12 5v14'],
  [/latency/, 'M12 6v6l4 2M12 4a8 8 0 1 0 .1 0'],
  [/loss|rate|corruption|duplication/, 'M4 9c3-3 5 3 8 0s5 3 8 0M4 15c3-3 5 3 8 0'],
  [/http/, 'M5 12h13M14 8l4 4-4 4'],
  [/dns/, 'M12 4a8 8 0 1 0 .1 0M4 12h16M12 4c-5 5-5 11 0 16M12 4c5 5 5 11 0 16'],
  [/drain/, 'M6 6h12M9 6v5l3 3 3-3V6M12 17v2'],
  [/taint/, 'M7 19V5l10 3-10 4'],
  [/restart/, 'M18 12a6 6 0 1 1-2-4.5M18 4v4h-4'],
  [/loadgen/, 'M5 18 10 11l3 4 6-9'],
  [/exceptions|faults/, 'M12 5v8M12 17v1'],
];

/** An arrow out of a circle, where no word says more. */
const ANY = 'M12 8a4 4 0 1 0 .1 0M15 9l4-4';

/** An icon of our own drawing: a field in the colour of the category, and a sign for what happens. Pure. */
export function icon(name: string, colour: string): string {
  const [, strokes] = GLYPHS.find(([words]) => words.test(name)) ?? [undefined, ANY];
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="48" height="48">' +
    `<rect width="24" height="24" rx="5" fill="${colour}"/>` +
    `<path d="${strokes}" fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>` +
    '</svg>\n'
  );
}
