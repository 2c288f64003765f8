import type { ChaosEngine } from '../../api/index.ts';
import { isLasting } from '../../api/schema/vocabulary.ts';
import { BadInputError, type InputProblem } from '../errors.ts';
import { placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import { BEFORE_ONLY, NOTHING_DURING, NOTHING_JUDGED } from '../report/outcome/judged.ts';

/** Annotation by which ChaosCenter's engines name probes that its server fills in. */
const PROBE_REFERENCES = 'probeRef';

/** An experiment that no probe judges. */
interface UncheckedEntry {
  /** Its place among those of the engine. */
  readonly index: number;
  readonly name: string;
  /** What it has in the place of one that does. */
  readonly has: string;
}

/** Experiments of an engine that no probe judges. Pure. */
function uncheckedEntries({ object }: Manifest): UncheckedEntry[] {
  // Its structure has been checked when it was loaded.
  const { metadata, spec } = object as ChaosEngine;
  if ((metadata.annotations?.[PROBE_REFERENCES] ?? '') !== '') return [];
  return (spec.experiments ?? []).flatMap(({ name, spec: { probe: probes = [] } = {} }, index) => {
    if (probes.length === 0) return [{ index, name, has: 'no probe' }];
    const isBefore = probes.every(({ mode }) => mode === BEFORE_ONLY);
    return isBefore ? [{ index, name, has: `only probes that look before the fault (${BEFORE_ONLY})` }] : [];
  });
}

/** What a run and a plan warn of. Pure. */
export function uncheckedWarnings(manifest: Manifest): string[] {
  return [
    ...uncheckedEntries(manifest).map(
      ({ name, has }) =>
        `${name} has ${has}: a pass would say that the fault was injected and reverted; ${NOTHING_JUDGED}, and there is no score`,
    ),
    ...entriesJudgedAfter(manifest).map(
      (name) =>
        `${name} has no probe of the modes Continuous and OnChaos: a pass would say what is found after the fault; ${NOTHING_DURING}`,
    ),
  ];
}

/** Experiments of an engine of which probes judge what comes after the fault, and not the time in which it is in force. Pure. */
function entriesJudgedAfter({ object }: Manifest): string[] {
  // Its structure has been checked when it was loaded.
  return ((object as ChaosEngine).spec.experiments ?? []).flatMap(
    ({ name, spec: { probe: probes = [] } = {} }) => {
      const isJudged = probes.some(({ mode }) => mode !== BEFORE_ONLY);
      return isJudged && !probes.some(({ mode }) => isLasting(mode)) ? [name] : [];
    },
  );
}

/** What speaks against an engine with `--require-checks`. Pure. */
export function uncheckedProblems(manifest: Manifest): InputProblem[] {
  return uncheckedEntries(manifest).map(({ index, name, has }) => ({
    ...placeOf(manifest, `spec.experiments[${index}]`),
    field: `spec.experiments[${index}].spec.probe`,
    code: 'CHECK_MISSING' as const,
    message: `${name} has ${has}, and --require-checks asks for one that judges what users see: add one that looks while the fault is in force`,
  }));
}

/** @throws BadInputError naming each experiment without a probe */
export function refuseUnchecked(manifests: readonly Manifest[]): void {
  const problems = manifests.flatMap(uncheckedProblems);
  if (problems.length > 0) throw new BadInputError(problems);
}
