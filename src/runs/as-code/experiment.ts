import { systemClock } from '@turnsole/kube/base/clock';
import { stringify } from 'yaml';
import { BadInputError } from '../../services/errors.ts';
import { type ReadManifests, readManifestTexts } from '../../services/manifests/read.ts';
import { asChaosError } from './as-chaos-error.ts';
import { type EngineSettings, type Entry, engineObject, experimentObjects } from './objects.ts';
import type { Experiment, ManifestOptions } from './types.ts';

/** Where an experiment is read from: objects that code describes, or a manifest. */
type Source =
  | { readonly entries: readonly Entry[]; readonly settings: EngineSettings }
  | { readonly title: string; readonly text: string };

/** What an experiment hands to those that run and plan it. */
export interface ReadOptions {
  readonly namespace: string;
  readonly image?: string | undefined;
  /** Whether the manifests are planned only. */
  readonly allowsStopped: boolean;
  /** Further manifests, by their titles in messages. */
  readonly beside: readonly { readonly title: string; readonly text: string }[];
}

/** An experiment with what those need that run and plan it. */
export class BuiltExperiment implements Experiment {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
    this.name = 'text' in source ? source.title : source.settings.name;
    this.namespace = 'text' in source ? undefined : source.settings.namespace;
  }

  toManifest(options: ManifestOptions = {}): string {
    const source = this.#source;
    if ('text' in source) return source.text;
    return documents(objectsOf(source, this.#namespace(options.namespace), options));
  }

  /** The faults of it; undefined for one that was made of a manifest. */
  get entries(): readonly Entry[] | undefined {
    return 'text' in this.#source ? undefined : this.#source.entries;
  }

  /**
   * Everything that a run needs, checked as files are.
   *
   * @throws ChaosError with every problem
   */
  read(options: ReadOptions): ReadManifests {
    const source = this.#source;
    const own =
      'text' in source
        ? { title: source.title, text: source.text }
        : { title: `experiment ${this.name}`, text: documents(wholeOf(source, options)) };
    try {
      return readManifestTexts([...options.beside, own], {
        mode: 'next',
        nowMs: systemClock.now(),
        allowsStopped: options.allowsStopped,
      });
    } catch (error) {
      throw error instanceof BadInputError ? asChaosError(error) : error;
    }
  }

  #namespace(wanted: string | undefined): string {
    return wanted ?? this.namespace ?? 'default';
  }
}

function wholeOf(source: Extract<Source, { entries: unknown }>, { namespace, image }: ReadOptions): object[] {
  const account = source.settings.serviceAccount === undefined;
  return objectsOf(source, namespace, { account, experiments: true, ...(image !== undefined && { image }) });
}

function objectsOf(
  { entries, settings }: Extract<Source, { entries: unknown }>,
  namespace: string,
  { account = false, experiments = false, image }: Omit<ManifestOptions, 'namespace'>,
): object[] {
  return [
    ...experimentObjects(entries, settings, { namespace, account, experiments, image }),
    engineObject(entries, settings, namespace),
  ];
}

function documents(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
}
