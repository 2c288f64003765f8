import { isForbidden } from '@turnsole/kube/client/errors';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { Informer } from '@turnsole/kube/runtime/index';
import { type Configuration, ConfigurationError } from './configuration.ts';
import { type ReadConfiguration, readConfiguration } from './read-configuration.ts';

interface FollowedConfigurationOptions extends Basics {
  readonly namespace: string;
  readonly name: string;
  /** Called with each configuration that takes the place of another. */
  readonly onChange?: (configuration: Configuration) => void;
}

/** The controller's configuration, as its ConfigMap has it now. One that is not valid changes nothing: the last valid one stays. */
export class FollowedConfiguration {
  readonly #options: FollowedConfigurationOptions;
  readonly #informer: Informer<ConfigMap>;
  /** Notes that were logged, so that each is logged once. */
  readonly #logged = new Set<string>();
  #current: Configuration = {};
  #version: string | undefined;

  constructor(options: FollowedConfigurationOptions) {
    this.#options = options;
    this.#informer = new Informer<ConfigMap>({
      ...options,
      resource: CONFIG_MAPS,
      fieldSelector: `metadata.name=${options.name}`,
    });
  }

  get current(): Configuration {
    return this.#current;
  }

  /**
   * Reads the ConfigMap, and follows it from then on. Without one, everything has its default.
   *
   * @throws ConfigurationError for one that cannot be used
   */
  async start(signal?: AbortSignal): Promise<void> {
    const { client, namespace, name, logger } = this.#options;
    const where = `${namespace}/${name}`;
    try {
      const present = await client.find<ConfigMap>(CONFIG_MAPS, name, {
        namespace,
        signal,
      });
      this.#version = present?.metadata.resourceVersion;
      const { configuration, keys } = this.#accept(present);
      this.#current = configuration;
      logger.info(
        { configMap: where, found: present !== undefined, keys },
        'configuration read; other keys have their defaults',
      );
    } catch (error) {
      if (!isForbidden(error)) throw error;
      logger.warn(
        { configMap: where, detail: error.message },
        'the configuration may not be read; all has its default',
      );
      return;
    }
    this.#informer.addHandler({
      onAdd: (map) => this.#take(map),
      onUpdate: (map) => this.#take(map),
      onDelete: () => this.#take(undefined),
    });
    this.#informer.start();
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
  }

  #take(map: ConfigMap | undefined): void {
    const version = map?.metadata.resourceVersion;
    if (version === this.#version) return;
    this.#version = version;
    const { namespace, name, logger, onChange } = this.#options;
    try {
      const { configuration, keys } = this.#accept(map);
      this.#current = configuration;
      logger.info({ configMap: `${namespace}/${name}`, keys }, 'the configuration has changed');
      onChange?.(configuration);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      logger.error(
        { detail: error.message },
        'the configuration has changed and cannot be used; the one before holds',
      );
    }
  }

  #accept(map: ConfigMap | undefined): ReadConfiguration {
    const { namespace, name, logger } = this.#options;
    const result = readConfiguration(map?.data);
    for (const { key, text, isRefusal } of result.notes) {
      const note = `${key}: ${text}`;
      if (isRefusal || this.#logged.has(note)) continue;
      this.#logged.add(note);
      logger.warn(
        { configMap: `${namespace}/${name}`, key, detail: text },
        'a key of the configuration has no effect',
      );
    }
    const refused = result.notes.filter(({ isRefusal }) => isRefusal);
    if (refused.length === 0) return result;
    const reasons = refused.map(({ key, text }) => `${key}: ${text}`).join('; ');
    throw new ConfigurationError(`ConfigMap ${namespace}/${name} cannot be used: ${reasons}`);
  }
}
