/** Samples of two pages, by name and labels in order. */
type Samples = ReadonlyMap<string, number>;

/**
 * Says in which series of LitmusChaos our page and that of upstream's exporter differ, metric by metric: samples that only one has (by
 * name and all labels), and values. Pure.
 */
export function compareSeries(ours: string, theirs: string): string[] {
  const [own, other] = [samplesOf(ours), samplesOf(theirs)];
  const names = [...new Set([...own.keys(), ...other.keys()].map(nameOf))].toSorted();
  const lines = names.map((name) => {
    const [here, there] = [own, other].map((all) => [...all].filter(([key]) => nameOf(key) === name));
    const [onlyOurs, onlyTheirs] = [
      (here ?? []).filter(([key]) => !other.has(key)),
      (there ?? []).filter(([key]) => !own.has(key)),
    ];
    const differing = (here ?? []).filter(([key, value]) => other.has(key) && other.get(key) !== value);
    const values = differing.slice(0, 1).map(([key, value]) => `, such as ${value} and ${other.get(key)}`);
    return (
      `${name}: ${here?.length} of ours, ${there?.length} of theirs; ${onlyOurs.length} only here${example(onlyOurs)}, ` +
      `${onlyTheirs.length} only there${example(onlyTheirs)}; ${differing.length} with other values${values.join('')}`
    );
  });
  return [...lines, `help texts that differ: ${helpsThatDiffer(ours, theirs).join('; ') || 'none'}`];
}

function samplesOf(page: string): Samples {
  const lines = page.split('\n').filter((line) => line.startsWith('litmuschaos_'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(line.slice(0, at)) ?? [];
      // No label of a benchmark holds a comma between quotes.
      return [`${name}{${labels.split('",').map(closed).toSorted().join()}}`, Number(line.slice(at + 1))];
    }),
  );
}

function closed(label: string): string {
  return label === '' || label.endsWith('"') ? label : `${label}"`;
}

function nameOf(key: string): string {
  return key.slice(0, key.indexOf('{'));
}

function example([first]: readonly (readonly [string, number])[]): string {
  return first === undefined ? '' : `, such as ${first[0]}`;
}

function helpsThatDiffer(ours: string, theirs: string): string[] {
  const helps = (page: string): Set<string> =>
    new Set(page.split('\n').filter((line) => /^# (?:HELP|TYPE) litmuschaos_/.test(line)));
  return [...helps(ours).symmetricDifference(helps(theirs))];
}
