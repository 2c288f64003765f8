import { CommandError } from '../errors.ts';
import type { InstalledFault } from '../install/fault-objects.ts';
import type { InstallSettings } from '../install/settings.ts';
import { objectsText } from '../manifests/yaml-text.ts';
import type { Application, Workload } from './application.ts';
import { type Check, probeOf, proposeCheck, urlProblem } from './check.ts';
import {
  aimProblem,
  engineName,
  type Proposal,
  proposedEngine,
  proposedFault,
  settingProblem,
} from './experiment.ts';
import { type NamedTarget, targetText, workloadNamed } from './target.ts';

/** An experiment as options say it. */
export interface ProposalRequest {
  readonly fault: InstalledFault;
  readonly target: NamedTarget | undefined;
  /** URLs that are asked; undefined: one is proposed; `none`: nothing is asked. */
  readonly urls: readonly string[] | 'none' | undefined;
  readonly rate?: number;
  readonly tolerance?: Check['tolerance'];
  readonly settings: ReadonlyMap<string, string>;
}

/** What an experiment is proposed for. */
export interface ProposalPlace {
  readonly application: Application;
  /** Of engine and target. */
  readonly namespace: string;
  /** Whether ChaosExperiment and account of the fault are there, and are not made. */
  readonly hasFault: boolean;
  readonly install: InstallSettings;
}

/** An experiment as manifests. */
export interface ProposedExperiment {
  /** Name of its engine. */
  readonly name: string;
  /** YAML for `kubectl apply` and `turnsole run`. */
  readonly text: string;
  /** The URLs that are asked. */
  readonly urls: readonly string[];
  /** What was decided for the user, in sentences. */
  readonly notes: readonly string[];
}

/**
 * Writes the manifests of an experiment. Pure.
 *
 * @throws CommandError when the fault cannot be aimed so, there is no such workload, or a URL cannot be asked
 */
export function propose(request: ProposalRequest, place: ProposalPlace): ProposedExperiment {
  const { fault, target, settings } = request;
  const unknown = [...settings.keys()].map((name) => settingProblem(fault, name));
  const problem = [aimProblem(fault, target), ...unknown].find((one) => one !== undefined);
  if (problem !== undefined) throw new CommandError(problem, 'OPTION_INVALID');
  const workload = workloadOf(target, place);
  const { urls, notes } = urlsOf(request, workload, place);
  const probes = urls.reduce<Proposal['probes']>((before, url) => {
    const { rate, tolerance } = request;
    const check = { url, ...(rate !== undefined && { rate }), ...(tolerance !== undefined && { tolerance }) };
    return [
      ...before,
      probeOf(
        check,
        before.map(({ name }) => name),
      ),
    ];
  }, []);
  const proposal: Proposal = { fault, target, namespace: place.namespace, probes, settings };
  const objects = [
    ...(place.hasFault ? [] : proposedFault(proposal, place.install)),
    proposedEngine(proposal),
  ];
  const text = `${heading(proposal, urls)}\n${objectsText(objects, 'yaml')}\n`;
  return { name: engineName(proposal), text, urls, notes };
}

function workloadOf(target: NamedTarget | undefined, place: ProposalPlace): Workload | undefined {
  if (target === undefined) return undefined;
  try {
    return workloadNamed(target, place.application, place.namespace);
  } catch (error) {
    if (error instanceof RangeError) throw new CommandError(error.message, 'NOT_FOUND');
    throw error;
  }
}

/** The URLs to ask, and what is to be said where the user has named none. */
function urlsOf(
  { urls, rate, tolerance, target }: ProposalRequest,
  workload: Workload | undefined,
  { application }: ProposalPlace,
): { readonly urls: readonly string[]; readonly notes: readonly string[] } {
  if (urls === 'none') return { urls: [], notes: [] };
  if (urls !== undefined) {
    for (const url of urls) {
      const problem = urlProblem(url);
      if (problem !== undefined) throw new CommandError(`--probe ${url}: ${problem}`, 'OPTION_INVALID');
    }
    return { urls, notes: [] };
  }
  const proposed = workload === undefined ? undefined : proposeCheck(workload, application);
  if (proposed !== undefined) {
    const note = `no --probe was given, so ${proposed.url} is asked (by ${proposed.source}); --probe URL asks another one, --no-probe none`;
    return { urls: [proposed.url], notes: [note] };
  }
  if (rate !== undefined || tolerance !== undefined)
    throw new CommandError('--rate and --tolerance are about a URL: give --probe URL', 'OPTION_INVALID');
  const of = target === undefined ? '' : ` of ${targetText(target)}`;
  return {
    urls: [],
    notes: [`no --probe was given, and no Service with HTTP${of} is known that could be asked`],
  };
}

function heading({ fault, target }: Proposal, urls: readonly string[]): string {
  const on = target === undefined ? '' : ` on ${targetText(target)}`;
  const asked =
    urls.length === 0
      ? 'Nothing is asked meanwhile: a pass says that the fault was injected and reverted, and no more.'
      : `Meanwhile ${urls.join(' and ')} ${urls.length === 1 ? 'is' : 'are'} asked.`;
  return `# ${fault.name}${on}: ${fault.summary}\n# ${asked}`;
}
