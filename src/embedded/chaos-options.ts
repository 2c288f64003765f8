/** What a cluster that knows no chaos is given, so that chaos can be run on it. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ClusterOptions } from '@turnsole/cluster';
import type { EmbeddedClusterOptions } from '@turnsole/cluster/cluster/types';
import { readUserNamespace } from '@turnsole/cluster/node/user-namespace';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import { CUSTOM_RESOURCES } from '../api/crds.ts';
import { ANNOTATION_BUILT_IN } from '../api/labels.ts';
import { CHAOS_SCHEDULES, EVENT_TRACKER_POLICIES } from '../api/resources.ts';
import { WORKFLOW_DEFINITIONS } from '../api/workflow-definitions.ts';
import { JOURNAL_FOLDER, journalMark } from '../chaos/journal-folder.ts';
import { knownImagesText } from '../chaos/known-images.ts';
import { LACKS_ANNOTATION, type MachineLacks, machineLacks } from '../chaos/machine-lacks.ts';
import { ownFaultFiles } from '../chaos/own-faults.ts';
import { ownFeatures } from '../process/own-features.ts';
import { ownNode } from '../process/own-node.ts';
import { PACKAGE_ROOT } from '../process/package-root.ts';
import { ownImages } from './images.ts';
import { judgeWrite } from './judge-write.ts';
import { realComponents } from './real-components.ts';

/**
 * Annotation of the nodes of a cluster whose operator is that of the runs on it, as no other one is there. Its value is the images that run
 * Turnsole's code there, as text (src/chaos/known-images.ts).
 */
export const ANNOTATION_OPERATOR_OF_RUNS = 'turnsole.io/operator-of-runs';

/** Options of a cluster; those of images and simulation have another form for programs than for others. */
type Given = Required<
  Pick<
    EmbeddedClusterOptions,
    'images' | 'commands' | 'hostPaths' | 'definitions' | 'judges' | 'annotateNodes' | 'journals'
  >
>;

/** What chaos needs of a cluster. */
interface ChaosOptions {
  readonly options: Given;
  /** The images that run Turnsole's code there (TURNSOLE_KNOWN_IMAGES). */
  readonly knownImages: readonly string[];
  /** What of this machine faults may need and it lacks; its nodes say the same. */
  lacksOf(notIsolated: string | undefined): MachineLacks;
}

/** @param userImages names of the user's own images, which win over Turnsole's */
export function chaosOptions(userImages: Iterable<string>): ChaosOptions {
  const { images, commands, knownImages } = ownImages(userImages);
  let lacks: MachineLacks | undefined;
  const lacksOf = (notIsolated: string | undefined): MachineLacks => {
    lacks ??= machineLacks({ ...ownFeatures(), hasOneId: !readUserNamespace().hasGroup(1), notIsolated });
    return lacks;
  };
  const options = {
    images,
    commands,
    hostPaths: [PACKAGE_ROOT, ownNode(), ...ownFaultFolders(process.env)],
    definitions: [...CUSTOM_RESOURCES.map(({ definition }) => definition), ...WORKFLOW_DEFINITIONS].map(
      builtIn,
    ),
    judges: [CHAOS_SCHEDULES, EVENT_TRACKER_POLICIES].map((resource) => ({ resource, judge: judgeWrite })),
    annotateNodes: ({ notIsolated }: { readonly notIsolated: string | undefined }) => ({
      [LACKS_ANNOTATION]: JSON.stringify(lacksOf(notIsolated)),
    }),
    journals: { folder: JOURNAL_FOLDER, mark: journalMark },
  };
  return { options, knownImages, lacksOf };
}

/** What pods read of the user's faults: their folders, with the packages that they may import. */
function ownFaultFolders(env: NodeJS.ProcessEnv): string[] {
  const folders = [...ownFaultFiles(env).values()].map((path) => dirname(path));
  const packages = folders.flatMap((folder) =>
    (createRequire(join(folder, 'x')).resolve.paths('x') ?? []).slice(0, -2),
  );
  return [...new Set([...folders, ...packages.filter((path) => existsSync(path))])];
}

function builtIn(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { annotations, ...metadata } = definition.metadata;
  return {
    ...definition,
    metadata: { ...metadata, annotations: { ...annotations, [ANNOTATION_BUILT_IN]: 'true' } },
  };
}

/** Options of `startCluster` of `@turnsole/cluster` with what chaos needs beside them; what the user gives wins, or is kept beside it. */
export function withChaosOptions(given: ClusterOptions): ClusterOptions {
  const { images = {}, simulated = false } = given;
  const { options, knownImages } = chaosOptions(Object.keys(images));
  const rules = typeof simulated === 'object' ? (simulated.rules ?? []) : [];
  const operator = { [ANNOTATION_OPERATOR_OF_RUNS]: knownImagesText(knownImages) };
  return {
    ...given,
    images: { ...Object.fromEntries(options.images), ...images },
    commands: new Map([...options.commands, ...(given.commands ?? [])]),
    hostPaths: [...options.hostPaths, ...(given.hostPaths ?? [])],
    definitions: [...options.definitions, ...(given.definitions ?? [])],
    judges: [...options.judges, ...(given.judges ?? [])],
    annotateNodes: (machine) => ({
      ...options.annotateNodes(machine),
      ...operator,
      ...given.annotateNodes?.(machine),
    }),
    journals: given.journals ?? options.journals,
    ...(simulated !== false && {
      simulated: { ...(simulated === true ? {} : simulated), rules: [...rules, realComponents] },
    }),
  };
}
