import type { Environment } from '@turnsole/kube/text/environment';

/** A variable and what it says. */
interface Setting {
  readonly variable: string;
  readonly value: string;
}

/** Reads variables, and notes those that cannot be honoured: a sentence each, with the name and what is allowed. */
export class SettingReader {
  readonly problems: string[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The first of the variables that says something. Empty counts as absent, as OpenTelemetry says. */
  find(...variables: readonly string[]): Setting | undefined {
    for (const variable of variables) {
      const value = (this.#env[variable] ?? '').trim();
      if (value !== '') return { variable, value };
    }
    return undefined;
  }

  /** A setting of OTLP: that for traces counts over that for everything. */
  ofTraces(name: string): Setting | undefined {
    return this.find(`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`);
  }

  /** One of several words; undefined when it is not set, or set to something else, which is noted. */
  word<const Word extends string>(setting: Setting | undefined, ...words: readonly Word[]): Word | undefined {
    const found = words.find((word) => word === setting?.value);
    if (found === undefined) this.refuse(setting, words.join(' or '));
    return found;
  }

  /** A whole number from 1 to `most`; undefined when it is not set, or set to something else, which is noted. */
  count(setting: Setting | undefined, most: number, unit: string): number | undefined {
    if (setting === undefined) return undefined;
    const value = Number(setting.value);
    if (Number.isInteger(value) && value > 0 && value <= most) return value;
    this.refuse(setting, `${unit} between 1 and ${most}`);
    return undefined;
  }

  /** W3C's form of lists: `NAME=VALUE,…`, with percent signs for what would end an entry. Its values may be keys and are not logged. */
  pairs(variable: string): Readonly<Record<string, string>> {
    const entries: [string, string][] = [];
    try {
      for (const part of (this.find(variable)?.value ?? '').split(',')) {
        const [, name, value] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(part) ?? [];
        if (name !== undefined && value !== undefined)
          entries.push([decodeURIComponent(name), decodeURIComponent(value.trim())]);
        else if (part.trim() !== '') throw new URIError('no name');
      }
    } catch {
      this.problems.push(`${variable} is no list of NAME=VALUE, separated by commas`);
    }
    return Object.fromEntries(entries);
  }

  /** Notes that a setting, if given, cannot be honoured. */
  refuse(setting: Setting | undefined, expected: string): void {
    if (setting === undefined) return;
    this.problems.push(`${setting.variable} is ${JSON.stringify(setting.value)}; expected ${expected}`);
  }
}
