import { isObject } from '@turnsole/kube/text/json';
import { parse, YAMLParseError } from 'yaml';
import type { Configuration, ConfigurationNote } from './configuration.ts';
import { KEYS } from './keys.ts';
import { ValueError } from './read-values.ts';

/** The configuration that a ConfigMap holds, and notes on it for the log. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  /** Keys that count; the others have their defaults. */
  readonly keys: readonly string[];
  readonly notes: readonly ConfigurationNote[];
}

/** The key that may hold all others. */
const WHOLE = 'config';

/**
 * Reads the data of the controller's ConfigMap: keys with YAML, or all of them inside `config`. Unknown keys become
 * notes; keys that this controller cannot honour are refused, each with its reason, in one error. Pure.
 */
export function readConfiguration(data: Readonly<Record<string, string>> = {}): ReadConfiguration {
  const notes: ConfigurationNote[] = [];
  const refuse = (key: string, text: string): void => void notes.push({ key, text, isRefusal: true });
  const values = valuesOf(data, refuse);
  let configuration: Configuration = {};
  const keys: string[] = [];
  for (const [key, value] of values) {
    const rule = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (rule === undefined)
      notes.push({ key, text: 'the key is not known, and has no effect', isRefusal: false });
    else if (rule.kind === 'refused') {
      if (rule.asks(value)) refuse(key, rule.why);
    } else if (rule.kind === 'ignored') {
      if (rule.why !== undefined) notes.push({ key, text: `has no effect: ${rule.why}`, isRefusal: false });
    } else if (value !== null && value !== undefined) {
      try {
        configuration = { ...configuration, ...rule.read(value) };
        keys.push(key);
      } catch (error) {
        if (!(error instanceof ValueError)) throw error;
        refuse(key, error.message);
      }
    }
  }
  return { configuration, keys, notes };
}

function valuesOf(
  data: Readonly<Record<string, string>>,
  refuse: (key: string, text: string) => void,
): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [key, yaml] of Object.entries(data)) {
    let value: unknown;
    try {
      value = parse(yaml);
    } catch (error) {
      if (!(error instanceof YAMLParseError)) throw error;
      refuse(key, `is no YAML: ${error.message.split('\n')[0]}`);
      continue;
    }
    if (key !== WHOLE) values.set(key, value);
    else if (isObject(value))
      for (const [name, one] of Object.entries(value)) if (!Object.hasOwn(data, name)) values.set(name, one);
  }
  return values;
}
