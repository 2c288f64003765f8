import { parseImage } from '@turnsole/kube/text/image-reference';
import type { InstalledFault } from '../install/fault-objects.ts';
import type { Application, Workload } from '../propose/application.ts';
import { proposeCheck } from '../propose/check.ts';
import { type ProposalPlace, propose } from '../propose/propose.ts';

/** A file that is to be written. */
export interface PlannedFile {
  /** Relative to the project's folder. */
  readonly path: string;
  readonly text: string;
  /** What it is, in a line. */
  readonly title: string;
}

/** Enough for two rounds of a fault in rounds. */
const FIRST_SETTINGS: Readonly<Record<string, string>> = { TOTAL_CHAOS_DURATION: '20', CHAOS_INTERVAL: '10' };
/** As many users as notice the loss of a moment, and few enough for any machine. */
const FIRST_RATE = 20;
/** What most services promise; the summary of a run says how much it was. */
const FIRST_TOLERANCE = { failed: '1%', outage: '2s' } as const;

/** What first experiments are made of. */
interface FirstExperimentsInput {
  readonly application: Application;
  readonly fault: InstalledFault;
  readonly folder: string;
  readonly place: Omit<ProposalPlace, 'application' | 'namespace'>;
}

/** The first experiments for an application, and what is left out, in sentences. Pure. */
export function firstExperiments({ application, fault, folder, place }: FirstExperimentsInput): {
  readonly files: readonly PlannedFile[];
  readonly notes: readonly string[];
} {
  const { workloads } = application;
  const checked = workloads.filter((one) => proposeCheck(one, application) !== undefined);
  // One that nothing asks is better than none at all; a run says that nothing judged it.
  const chosen = checked.length > 0 ? checked : workloads.slice(0, 1);
  const settings = new Map(
    Object.entries(FIRST_SETTINGS).filter(([name]) => Object.hasOwn(fault.tunables, name)),
  );
  const files = chosen.map((workload): PlannedFile => {
    const isAsked = checked.includes(workload);
    const { name, text, urls } = propose(
      {
        fault,
        target: workload,
        urls: isAsked ? undefined : 'none',
        ...(isAsked && { rate: FIRST_RATE, tolerance: FIRST_TOLERANCE }),
        settings,
      },
      { ...place, application, namespace: workload.namespace },
    );
    const asked =
      urls.length === 0
        ? 'and nothing is asked'
        : `while ${FIRST_RATE} users a second ask ${urls.join(', ')}`;
    return {
      path: `${folder}/${name}.yaml`,
      text,
      title: `${fault.name} on ${workload.kind}/${workload.name}, ${asked}`,
    };
  });
  const left = workloads.filter((one) => !chosen.includes(one)).map(({ kind, name }) => `${kind}/${name}`);
  const notes =
    left.length === 0
      ? []
      : [
          `no experiment for ${left.join(', ')}: no Service with HTTP leads there, and nothing with one names it; ` +
            'turnsole new experiment --fault NAME --target KIND/NAME --probe URL writes one',
        ];
  return { files, notes };
}

/** The images of workloads that an embedded cluster lacks, without registry and tag; each once. Pure. */
export function missingImages(
  workloads: readonly Workload[],
  isBuiltIn: (image: string) => boolean,
): ReadonlyMap<string, { readonly hasOwnCommand: boolean }> {
  const missing = new Map<string, { hasOwnCommand: boolean }>();
  for (const { image, command } of workloads.flatMap(({ containers }) => containers)) {
    if (image === undefined || image === '' || isBuiltIn(image)) continue;
    const name = parseImage(image)?.path ?? image;
    const hasOwnCommand = (command ?? []).length > 0 && (missing.get(name)?.hasOwnCommand ?? true);
    missing.set(name, { hasOwnCommand });
  }
  return missing;
}
