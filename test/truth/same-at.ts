/** Whether the same manifest comes to the same verdict with and without other work on the machine. Pure. */
import type { Outcome } from './run-row.ts';

/** How many runs of each row came to which verdict at each load. An Error of a busy machine counts as no verdict. */
export function agreementOf(
  ones: readonly Outcome[],
  others: readonly Outcome[],
  load: number,
  otherLoad: number,
): { readonly text: string; readonly differs: boolean } {
  const names = [...new Set(ones.map(({ row }) => row.name))];
  const lines = names.map((name) => {
    const here = verdictsOf(ones, name);
    const there = verdictsOf(others, name);
    const same = new Set([...here.verdicts, ...there.verdicts]).size <= 1;
    return {
      same,
      text: `${same ? 'same' : 'DIFFERENT'}  ${name}: load ${load}: ${here.text}; load ${otherLoad}: ${there.text}`,
    };
  });
  return { text: lines.map(({ text }) => text).join('\n'), differs: lines.some(({ same }) => !same) };
}

function verdictsOf(
  outcomes: readonly Outcome[],
  name: string,
): { verdicts: readonly string[]; text: string } {
  const mine = outcomes.filter(({ row }) => row.name === name);
  const judged = mine.filter(({ judgement }) => judgement !== 'busy').map(({ verdict }) => verdict);
  const counts = Object.entries(Object.groupBy(judged, (verdict) => verdict)).map(
    ([verdict, list = []]) => `${verdict} ${list.length} of ${mine.length}`,
  );
  const busy = mine.length - judged.length;
  return { verdicts: judged, text: [...counts, ...(busy === 0 ? [] : [`busy ${busy}`])].join(', ') };
}
