import type { Experiment } from '../../../src/controlplane/schema/generated/types.ts';
import { isJson, withAt } from '../../models/json/json.ts';
import { nameFor } from '../../models/studio/check-words.ts';
import {
  type About,
  type Draft,
  EMPTY_DRAFT,
  type HubFault,
  type Target,
} from '../../models/studio/draft.ts';
import { readDraft } from '../../models/studio/read-draft.ts';
import { addStep } from '../../models/studio/steps.ts';
import { newManifest, writeDraft } from '../../models/studio/write-draft.ts';
import { YAML_FORM } from './yaml-form.ts';

/** The starting point of work on an experiment. */
export interface Origin {
  /** The experiment that is changed; undefined for a new one. */
  readonly stored: StoredExperiment | undefined;
  readonly text: string;
  readonly about: About;
  readonly tags: readonly string[];
}

/** Fields of an experiment for the studio. */
export type StoredExperiment = Pick<
  Experiment,
  'experimentID' | 'name' | 'description' | 'experimentManifest' | 'isCustomExperiment' | 'updatedAt' | 'tags'
> & {
  readonly infra: { readonly infraID: string } | null;
  readonly updatedBy: { readonly username: string } | null;
};

const NOTHING: About = { description: '', infraID: '' };

/** A workload that a new experiment is aimed at. */
export interface Aim extends Target {
  readonly workload: string;
}

/** A new experiment, empty or with a fault, which may be aimed at a workload. */
export function newOrigin(fault?: HubFault, aim?: Aim): Origin {
  const draft =
    fault === undefined
      ? EMPTY_DRAFT
      : aim === undefined
        ? addStep(EMPTY_DRAFT, fault)
        : aimedAt(addStep(EMPTY_DRAFT, fault), aim);
  return {
    stored: undefined,
    text: YAML_FORM.write(newManifest(draft, YAML_FORM)),
    about: NOTHING,
    tags: [],
  };
}

function aimedAt(draft: Draft, { workload, ...target }: Aim): Draft {
  const steps = draft.steps.map((step) => (step.fault.hasTarget ? { ...step, target } : step));
  return { ...draft, steps, name: nameFor(workload, draft.steps[0]?.fault.name ?? '') };
}

/** A new experiment from one of a hub. */
export function sampleOrigin(manifest: string): Origin {
  return { stored: undefined, text: manifest, about: NOTHING, tags: [] };
}

/** The only connected one of the infrastructures: where a new experiment runs unless another is chosen. */
export function onlyPlace<Infra extends { readonly isActive: boolean }>(
  infras: readonly (Infra | null)[],
): Infra | undefined {
  const [only, ...others] = infras.filter((infra) => infra?.isActive === true);
  return others.length === 0 ? (only ?? undefined) : undefined;
}

/** The same experiment for an infrastructure. */
export function placedOrigin(
  origin: Origin,
  place: { readonly infraID: string; readonly infraNamespace: string | null } | undefined,
): Origin {
  if (place === undefined) return origin;
  const about = { ...origin.about, infraID: place.infraID };
  const object: unknown = YAML_FORM.read(origin.text);
  const shown = isJson(object) ? readDraft(object, about, YAML_FORM) : undefined;
  if (!isJson(object) || shown === undefined || 'reason' in shown) return { ...origin, about };
  const agentNamespace = place.infraNamespace || shown.draft.agentNamespace;
  const draft = writeDraft(object, { ...shown.draft, agentNamespace }, YAML_FORM);
  return { ...origin, about, text: YAML_FORM.change(origin.text, draft) };
}

/** An experiment that is changed. */
export function storedOrigin(experiment: StoredExperiment): Origin {
  const object = readStored(experiment.experimentManifest);
  return {
    stored: experiment,
    // Stored manifests are in one line.
    text: isJson(object) ? YAML_FORM.write(object) : experiment.experimentManifest,
    about: { description: experiment.description, infraID: experiment.infra?.infraID ?? '' },
    tags: experiment.tags ?? [],
  };
}

/** Reads a stored manifest, which is usually JSON. */
function readStored(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return YAML_FORM.read(text);
  }
}

/** A new experiment as a copy of another, with a new name. */
export function copyOrigin(experiment: StoredExperiment): Origin {
  const origin = storedOrigin(experiment);
  const object: unknown = YAML_FORM.read(origin.text);
  if (!isJson(object)) return { ...origin, stored: undefined };
  const name = `${experiment.name}-copy`;
  const shown = readDraft(object, origin.about, YAML_FORM);
  const renamed =
    'reason' in shown
      ? withAt(object, ['metadata', 'name'], name)
      : writeDraft(object, { ...shown.draft, name }, YAML_FORM);
  return { ...origin, stored: undefined, text: YAML_FORM.change(origin.text, renamed) };
}
