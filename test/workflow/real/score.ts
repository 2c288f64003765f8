import type { ExampleClass } from './examples.ts';
import type { Outcome } from './run-example.ts';

/** What a level counts, and how many have to pass when all of it is there. */
interface Level {
  readonly title: string;
  /** Examples with an expected end. */
  readonly all: number;
  readonly fewest: number;
  readonly counts: (outcome: Pick<Outcome, 'example' | 'isOfCi'>) => boolean;
}

const isFixed =
  (...classes: readonly ExampleClass[]): Level['counts'] =>
  ({ example }) =>
    classes.includes(example.class) && example.expected !== 'either';

const LEVELS: readonly Level[] = [
  { title: 'P', all: 98, fewest: 98, counts: isFixed('P') },
  { title: 'P + A + V', all: 121, fewest: 118, counts: isFixed('P', 'A', 'V') },
  { title: 'P + A + V + K', all: 142, fewest: 138, counts: isFixed('P', 'A', 'V', 'K') },
  { title: "Argo's continuous integration", all: 103, fewest: 95, counts: ({ isOfCi }) => isOfCi },
  {
    title: 'ends that are a matter of chance',
    all: 0,
    fewest: 0,
    counts: ({ example }) => example.expected === 'either',
  },
];

/** The score of a level. */
interface Score {
  readonly title: string;
  readonly passed: number;
  readonly ran: number;
  readonly all: number;
  readonly fewest: number;
}

export function scores(outcomes: readonly Outcome[]): readonly Score[] {
  return LEVELS.map(({ title, all, fewest, counts }) => {
    const counted = outcomes.filter(counts);
    const passed = counted.filter(({ problem }) => problem === undefined).length;
    return { title, passed, ran: counted.length, all: all === 0 ? counted.length : all, fewest };
  });
}

/** The levels that are not reached; when some examples did not run, as many fewer are enough. */
export function missesBars(outcomes: readonly Outcome[]): readonly string[] {
  return scores(outcomes)
    .map((score) => ({ ...score, enough: score.fewest - (score.all - score.ran) }))
    .filter(({ passed, enough }) => passed < enough)
    .map(({ title, passed, enough }) => `${title}: fewer than ${enough}: ${passed}`);
}
