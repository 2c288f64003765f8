/** The configuration of built-in workflow controllers: ConfigMaps as Argo's and LitmusChaos' manifests have them. */

import type { Logger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import type { EventRecorder } from '@turnsole/kube/runtime/event-recorder';
import { Informer } from '@turnsole/kube/runtime/informer';
import { CONTROLLER_CONFIG_MAP } from '@turnsole/workflows/kinds/controller-names';
import type { Configuration } from '../../../components/workflow-controller/configuration/configuration.ts';
import {
  type ReadConfiguration,
  readConfiguration,
} from '../../../components/workflow-controller/configuration/read-configuration.ts';

/** Where Argo's manifests install it: a built-in controller is nowhere, and takes the ConfigMap from there. */
const ARGO_NAMESPACE = 'argo';

/** Keys that count at the start of an installed controller, or for its pages, and not for one that is part of the cluster. */
const OF_INSTALLED: Readonly<Partial<Record<keyof Configuration, string>>> = {
  namespace: 'a built-in controller works in all namespaces that no other one has',
  initialDelayMs: 'a built-in controller starts with the first workflow',
  metrics: 'a built-in controller serves no metrics',
};

/** One ConfigMap, read. */
interface ReadMap extends ReadConfiguration {
  readonly map: ConfigMap;
  readonly where: string;
}

/**
 * The ConfigMap for the controller of an instance id: for none that of the namespace `argo`, for an id the first one that has it. Pure.
 *
 * @param maps with its configuration each
 */
function chosenFor<Map extends Pick<ReadMap, 'configuration' | 'where'>>(
  instanceId: string,
  maps: readonly Map[],
): Map | undefined {
  const fitting = maps.filter(
    ({ configuration, where }) =>
      (configuration.instanceId ?? '') === instanceId &&
      (instanceId !== '' || where.startsWith(`${ARGO_NAMESPACE}/`)),
  );
  return fitting.sort((a, b) => (a.where < b.where ? -1 : 1))[0];
}

interface Parts {
  readonly client: KubeClient;
  readonly logger: Logger;
  /** Writes what a ConfigMap does and does not ask for, on the ConfigMap. */
  readonly recorder: Pick<EventRecorder, 'recordOn'>;
  /** Gets a sentence for users about a ConfigMap that cannot be used. */
  readonly warn: (sentence: string) => void;
}

/** The configuration of one controller, as it is now. */
export class LocalConfiguration {
  readonly #instanceId: string;
  readonly #parts: Parts;
  readonly #onChange: () => void;
  readonly #informer: Informer<ConfigMap>;
  #current: Configuration | undefined = {};
  #refusal: string | undefined;
  /** The version that was read last; undefined when there was none. */
  #version: string | undefined;
  #hasRead = false;

  /** @param onChange called when another configuration holds */
  constructor(instanceId: string, parts: Parts, onChange: () => void) {
    this.#instanceId = instanceId;
    this.#parts = parts;
    this.#onChange = onChange;
    this.#informer = new Informer<ConfigMap>({
      ...parts,
      resource: CONFIG_MAPS,
      fieldSelector: `metadata.name=${CONTROLLER_CONFIG_MAP}`,
    });
  }

  /** Undefined while the only one that there was cannot be used: no workflow may run by settings that its user did not choose. */
  get current(): Configuration | undefined {
    return this.#current;
  }

  /** Why the ConfigMap cannot be used. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  async start(signal?: AbortSignal): Promise<void> {
    const look = (): void => {
      if (this.#hasRead) this.#look();
    };
    this.#informer.addHandler({ onAdd: look, onUpdate: look, onDelete: look });
    this.#informer.start();
    await this.#informer.whenSynced(signal);
    this.#look();
    this.#hasRead = true;
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
  }

  #look(): void {
    const maps = this.#informer.lister.list().map((map) => ({
      ...readConfiguration(map.data),
      map,
      where: `${map.metadata.namespace}/${map.metadata.name}`,
    }));
    const chosen = chosenFor(this.#instanceId, maps);
    const version = chosen && `${chosen.where} ${chosen.map.metadata.resourceVersion}`;
    if (this.#hasRead && version === this.#version) return;
    this.#version = version;
    if (chosen === undefined) this.#take({});
    else this.#accept(chosen);
    if (this.#hasRead) this.#onChange();
  }

  #take(configuration: Configuration): void {
    this.#current = configuration;
    this.#refusal = undefined;
  }

  #accept({ configuration, keys, notes, map, where }: ReadMap): void {
    const { logger, recorder, warn } = this.#parts;
    const tell = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
      recorder.recordOn(CONFIG_MAPS, map, { type, reason, message });
    const refused = notes.filter(({ isRefusal }) => isRefusal).map(({ key, text }) => `${key}: ${text}`);
    if (refused.length > 0) {
      const isFirst = !this.#hasRead || this.#current === undefined;
      const what = isFirst ? 'no workflow is run until it is corrected' : 'the configuration before it holds';
      const sentence = `ConfigMap ${where} cannot be used, ${what}: ${refused.join('; ')}`;
      logger.error({ configMap: where, detail: sentence }, 'the configuration cannot be used');
      tell('Warning', 'ConfigurationRefused', sentence);
      warn(sentence);
      this.#refusal = sentence;
      if (isFirst) this.#current = undefined;
      return;
    }
    const unused = Object.entries(OF_INSTALLED).filter(([name]) => Object.hasOwn(configuration, name));
    for (const text of [
      ...notes.map(({ key, text }) => `${key}: ${text}`),
      ...unused.map(([name, why]) => `${name.replace(/Ms$/, '')}: has no effect: ${why}`),
    ]) {
      logger.warn({ configMap: where, detail: text }, 'a key of the configuration has no effect');
      tell('Warning', 'ConfigurationWithoutEffect', text);
    }
    logger.info({ configMap: where, keys }, 'configuration read; other keys have their defaults');
    tell(
      'Normal',
      'ConfigurationRead',
      `the built-in workflow controller goes by it: ${keys.join(', ') || 'no key'}`,
    );
    this.#take(configuration);
  }
}
