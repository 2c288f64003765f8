import type { KindDefinition, ServedVersion } from '../kinds/kind.ts';

/** A kind in one of the versions it is served in. */
export interface ServedKind {
  readonly definition: KindDefinition;
  readonly version: ServedVersion;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
}

/** All kinds that are served at the moment. Built-in ones stay; custom ones come and go with their definitions. */
export class KindRegistry {
  readonly #byPath = new Map<string, ServedKind>();
  readonly #definitions = new Map<string, KindDefinition>();
  readonly #listeners = new Set<() => void>();
  #generation = 0;

  /** Counts changes: caches of discovery compare it. */
  get generation(): number {
    return this.#generation;
  }

  /** Calls back at each change, inside of what makes it. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  add(definition: KindDefinition): void {
    this.remove(definition.group, definition.plural);
    this.#definitions.set(`${definition.group}/${definition.plural}`, definition);
    for (const version of definition.versions) {
      const apiVersion = definition.group === '' ? version.name : `${definition.group}/${version.name}`;
      this.#byPath.set(`${apiVersion}/${definition.plural}`, { definition, version, apiVersion });
    }
    this.#changed();
  }

  remove(group: string, plural: string): void {
    const old = this.#definitions.get(`${group}/${plural}`);
    if (old === undefined) return;
    this.#definitions.delete(`${group}/${plural}`);
    for (const version of old.versions) {
      const apiVersion = group === '' ? version.name : `${group}/${version.name}`;
      this.#byPath.delete(`${apiVersion}/${plural}`);
    }
    this.#changed();
  }

  #changed(): void {
    this.#generation += 1;
    for (const listener of this.#listeners) listener();
  }

  /** Whether anything is served under the group and version. */
  hasVersion(group: string, version: string): boolean {
    const prefix = group === '' ? `${version}/` : `${group}/${version}/`;
    for (const path of this.#byPath.keys()) if (path.startsWith(prefix)) return true;
    return false;
  }

  /** Whether anything is served under the group, in any version. */
  hasGroup(group: string): boolean {
    for (const definition of this.#definitions.values()) if (definition.group === group) return true;
    return false;
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#byPath.get(group === '' ? `${version}/${plural}` : `${group}/${version}/${plural}`);
  }

  /** Every form in which the objects of a table are served. */
  servedFrom(table: string): readonly ServedKind[] {
    return [...this.#byPath.values()].filter(({ definition }) => definition.table === table);
  }

  /** By group and plural in its stored version, for code that handles objects and not requests. */
  definition(group: string, plural: string): KindDefinition | undefined {
    return this.#definitions.get(`${group}/${plural}`);
  }

  definitions(): readonly KindDefinition[] {
    return [...this.#definitions.values()];
  }
}
