import type { ChaosEngine } from '../../api/index.ts';
import { BadInputError, type InputProblem } from '../errors.ts';
import { placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import { NOTHING_JUDGED } from '../report/outcome/judged.ts';

/** Annotation by which ChaosCenter's engines name probes that its server fills in. */
const PROBE_REFERENCES = 'probeRef';

/** Experiments of an engine that no probe judges, with their place among its entries. Pure. */
function uncheckedEntries({ object }: Manifest): { readonly index: number; readonly name: string }[] {
  // Its structure has been checked when it was loaded.
  const { metadata, spec } = object as ChaosEngine;
  if ((metadata.annotations?.[PROBE_REFERENCES] ?? '') !== '') return [];
  return (spec.experiments ?? []).flatMap((entry, index) =>
    (entry.spec?.probe ?? []).length === 0 ? [{ index, name: entry.name }] : [],
  );
}

/** What a run and a plan warn of. Pure. */
export function uncheckedWarnings(manifest: Manifest): string[] {
  return uncheckedEntries(manifest).map(
    ({ name }) =>
      `${name} has no probe: a pass would say that the fault was injected and reverted; ${NOTHING_JUDGED}, and there is no score`,
  );
}

/** What speaks against an engine with `--require-checks`. Pure. */
export function uncheckedProblems(manifest: Manifest): InputProblem[] {
  return uncheckedEntries(manifest).map(({ index, name }) => ({
    ...placeOf(manifest, `spec.experiments[${index}]`),
    field: `spec.experiments[${index}].spec.probe`,
    code: 'CHECK_MISSING' as const,
    message: `${name} has no probe, and --require-checks asks for one: add one that judges what users see`,
  }));
}

/** @throws BadInputError naming each experiment without a probe */
export function refuseUnchecked(manifests: readonly Manifest[]): void {
  const problems = manifests.flatMap(uncheckedProblems);
  if (problems.length > 0) throw new BadInputError(problems);
}
