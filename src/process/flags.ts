import { messageOf } from '@turnsole/kube/text/error-message';
import { UsageError } from './usage-error.ts';

/** One flag of a program. */
interface Flag<Value> {
  /** Placeholder of its value in the usage line: `FILE`; absent for a flag that is switched on by its name. */
  readonly placeholder?: string;
  /** The value when the flag is not given. */
  readonly absent: Value;
  /** Reads its value. @throws UsageError that says what was expected */
  readonly read: (text: string) => Value;
}

/** The flags of a program, by name without dashes. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The value of each flag. */
export type FlagValues<Flags extends FlagTable> = {
  readonly [Name in keyof Flags]: Flags[Name] extends Flag<infer Value> ? Value : never;
};

/**
 * Reads flags as Go programs take them, because upstream's programs do: one dash or two, the value after `=` or as the next
 * argument; a switch takes its value after `=` only. The last of a repeated flag holds. Pure.
 *
 * @throws UsageError for an argument that is no known flag, and for a value that cannot be used
 */
export function readFlags<const Flags extends FlagTable>(
  program: string,
  argv: readonly string[],
  table: Flags,
): FlagValues<Flags> {
  const values = new Map(Object.entries(table).map(([name, { absent }]) => [name, absent]));
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [, name = '', inline] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(argument) ?? [];
    const flag = Object.hasOwn(table, name) ? table[name] : undefined;
    if (flag === undefined) {
      throw new UsageError(`unknown argument ${JSON.stringify(argument)}; ${usageOf(program, table)}`);
    }
    const text = inline ?? (flag.placeholder === undefined ? 'true' : rest.shift());
    if (text === undefined) {
      throw new UsageError(`flag -${name} needs a value; ${usageOf(program, table)}`);
    }
    values.set(name, readValue(name, flag, text));
  }
  // Each name of the table has the value that its own flag has read.
  return Object.fromEntries(values) as FlagValues<Flags>;
}

function readValue(name: string, flag: Flag<unknown>, text: string): unknown {
  try {
    return flag.read(text);
  } catch (cause) {
    const detail = messageOf(cause);
    throw new UsageError(`flag -${name}: ${JSON.stringify(text)} ${detail}`, { cause });
  }
}

/** `usage: turnsole exporter [-kubeconfig FILE]`. Pure. */
function usageOf(program: string, table: FlagTable): string {
  const flags = Object.entries(table).map(([name, { placeholder }]) =>
    placeholder === undefined ? ` [-${name}]` : ` [-${name} ${placeholder}]`,
  );
  return `usage: turnsole ${program}${flags.join('')}`;
}

/** A flag with a text. */
export function textFlag(placeholder: string): Flag<string | undefined> {
  return { placeholder, absent: undefined, read: (text) => text };
}

/** A flag with one of a few words. */
export function choiceFlag<const Word extends string, const Absent extends Word | undefined = undefined>(
  words: readonly Word[],
  absent?: Absent,
): Flag<Word | Absent> {
  return {
    placeholder: words.join('|'),
    // Left out, it is undefined, and so is the type.
    absent: absent as Absent,
    read: (text) => {
      const word = words.find((one) => one === text);
      if (word === undefined) throw new UsageError(`is none of ${words.join(', ')}`);
      return word;
    },
  };
}

/** A flag with a whole number that is not negative. */
export function wholeFlag(placeholder: string, absent: number): Flag<number> {
  return {
    placeholder,
    absent,
    read: (text) => {
      if (!/^\d{1,9}$/.test(text)) throw new UsageError('is no whole number');
      return Number(text);
    },
  };
}

/** A flag that is off unless it is given. */
export const SWITCH: Flag<boolean> = {
  absent: false,
  read: (text) => {
    if (['true', 't', '1'].includes(text.toLowerCase())) return true;
    if (['false', 'f', '0'].includes(text.toLowerCase())) return false;
    throw new UsageError('is neither true nor false');
  },
};

/** Where a server listens; an absent host means all addresses. */
export interface BindAddress {
  readonly host?: string;
  readonly port: number;
}

/** A flag with the address of a server: `:8080`, `127.0.0.1:8080`, `[::1]:8080`; `0` or nothing for no server. */
export function addressFlag(absent: BindAddress): Flag<BindAddress | undefined> {
  return { placeholder: 'ADDRESS', absent, read: readAddress };
}

function readAddress(text: string): BindAddress | undefined {
  if (text === '0' || text === '') return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new UsageError('is no address; expected is host:port or :port, or 0 for none');
  }
  const host = match[1] ?? match[2] ?? '';
  return host === '' ? { port } : { host, port };
}
