import type { KubeObject, PolicyRule } from '@turnsole/kube/kinds/core';
import { CHAOS_EXPERIMENTS, type ChaosExperiment } from '../../api/index.ts';
import type { InstallObject } from './install-object.ts';
import { lostRights } from './lost-rights.ts';

/** An object as it is applied over what another writer has set in it, and what its user should know of that. */
interface BesideOthers {
  readonly object: InstallObject;
  /** Sentences. */
  readonly remarks: readonly string[];
}

/**
 * What to apply where an object is there already: LitmusChaos' manifests, or users, may have written it. Of a ChaosExperiment the
 * installation takes over what decides which program runs (image, command, arguments); the settings that another has written
 * stay, as engines count on them. Everything of others that has been replaced, or goes on to have an effect, is a remark. Pure.
 *
 * @param fieldManager of the installation
 */
export function besideOthers(asked: InstallObject, before: KubeObject, fieldManager: string): BesideOthers {
  if (asked.kind === CHAOS_EXPERIMENTS.kind) return experimentBesideOthers(asked, before, fieldManager);
  if (asked.rules !== undefined) return { object: asked, remarks: ruleRemarks(asked, before, fieldManager) };
  return { object: asked, remarks: [] };
}

type Definition = Partial<ChaosExperiment['spec']['definition']>;

/** Which program runs. */
const PROGRAM = ['image', 'command', 'args'] as const;
/** What has an effect on the experiment's pods, and no fault of Turnsole needs. */
const OF_PODS = [
  'configMaps',
  'secrets',
  'hostFileVolumes',
  'experimentAnnotations',
  'securityContext',
  'hostPID',
] as const;

function experimentBesideOthers(
  asked: InstallObject,
  before: KubeObject,
  fieldManager: string,
): BesideOthers {
  const wanted = definitionOf(asked);
  const present = definitionOf(before);
  const writerOf = (field: string): string | undefined =>
    otherWriter(before, ['spec', 'definition', field], fieldManager);
  const replaced = PROGRAM.flatMap((field) => {
    const writer = writerOf(field);
    const differs = JSON.stringify(present[field] ?? []) !== JSON.stringify(wanted[field] ?? []);
    return writer !== undefined && differs
      ? [{ writer, text: `${field} ${JSON.stringify(present[field])}` }]
      : [];
  });
  const envWriter = (present.env ?? []).length === 0 ? undefined : writerOf('env');
  const others = OF_PODS.filter((field) => isSet(present[field]));
  return {
    object: envWriter === undefined ? asked : withoutEnv(asked, wanted),
    remarks: [
      ...(replaced[0] === undefined
        ? []
        : [`${replaced.map(({ text }) => text).join(', ')} of ${replaced[0].writer} replaced`]),
      ...(envWriter === undefined ? [] : [settingsRemark(envWriter, present, wanted)]),
      ...(others.length === 0
        ? []
        : [
            `${others.join(', ')} stay: they apply to the experiment's pods, and the fault needs none of them`,
          ]),
    ],
  };
}

/** Both a rendered experiment and a stored one have this shape; a stored one may lack all of it. */
function definitionOf(object: object): Definition {
  return (object as Partial<ChaosExperiment>).spec?.definition ?? {};
}

function withoutEnv(asked: InstallObject, { env: _, ...definition }: Definition): InstallObject {
  return { ...asked, spec: { ...(asked.spec as object), definition } };
}

function isSet(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false;
}

function settingsRemark(writer: string, present: Definition, { env: defaults = [] }: Definition): string {
  // Where several entries have the same name, the last one wins.
  const written = new Map((present.env ?? []).map((variable) => [variable.name, variable]));
  const others = defaults.flatMap(({ name, value: byDefault = '' }) => {
    const { value = '', valueFrom } = written.get(name) ?? {};
    if (valueFrom !== undefined) return [`${name} from elsewhere`];
    // An empty text is no setting.
    return value === '' || value === byDefault ? [] : [`${name}=${value}`];
  });
  const listed =
    others.length === 0 ? 'all have the defaults' : `other than by default: ${others.join(', ')}`;
  return `env stays as ${writer} has written it; ${listed}`;
}

function ruleRemarks(asked: InstallObject, before: KubeObject, fieldManager: string): string[] {
  const writer = otherWriter(before, ['rules'], fieldManager);
  if (writer === undefined) return [];
  const lost = lostRights(rulesOf(before), rulesOf(asked));
  if (lost.length === 0) return [];
  return [
    `rights of ${writer} that no part of Turnsole needs are gone: ${lost.join(', ')}; what probes need beyond it, grant by a role of its own`,
  ];
}

/** The rules of a role, as it is rendered or stored. */
function rulesOf(object: object): readonly PolicyRule[] {
  return (object as { readonly rules?: readonly PolicyRule[] }).rules ?? [];
}

/** One writer of a field other than the installation, by its name; undefined where there is none. */
function otherWriter(
  { metadata }: KubeObject,
  path: readonly string[],
  fieldManager: string,
): string | undefined {
  // Some clients take the list off what they show; who has written is not known then.
  if (metadata.managedFields === undefined) return 'another client';
  return metadata.managedFields.find(
    ({ manager, fieldsV1 }) => manager !== fieldManager && hasField(fieldsV1, path),
  )?.manager;
}

/** Whether fields in the notation of server-side apply include this one, or something below it. */
function hasField(fields: unknown, path: readonly string[]): boolean {
  let at: unknown = fields;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return false;
    at = (at as Readonly<Record<string, unknown>>)[`f:${name}`];
  }
  return at !== undefined;
}
