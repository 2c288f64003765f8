/** The fields of every kind of setting. */
interface Described {
  /** One or two sentences: what it does. The reference page and `turnsole faults show` print it. */
  readonly description: string;
  /** An empty value is refused, for settings without which the fault has nothing to do. */
  readonly required?: boolean;
}

/** A number; `lo-hi` where `range` allows it, from which one is drawn at the start. */
export interface NumberTunable extends Described {
  readonly type: 'integer' | 'number';
  /** Undefined: not set, which the fault gives a meaning of its own. */
  readonly default: number | undefined;
  /** Both ends are needed: a number without a limit is work, time or memory without one. */
  readonly minimum: number;
  readonly maximum: number;
  /** `seconds`, `milliseconds`, `percent`, `mebibytes`… for messages and the reference page. */
  readonly unit?: string;
  /** Accepts `lo-hi`, from which one integer is drawn at the start. */
  readonly range?: boolean;
}

/** A share: `30` or `30%`. */
interface PercentageTunable extends Described {
  readonly type: 'percentage';
  readonly default: number | undefined;
  /** @default 0 */
  readonly minimum?: number;
  /** @default 100 */
  readonly maximum?: number;
  /** Accepts `lo-hi`, from which one integer is drawn at the start. */
  readonly range?: boolean;
}

/** A time, read as milliseconds: `250ms`, `2s`, `1m30s`, or a plain number of its unit. */
interface DurationTunable extends Described {
  readonly type: 'duration';
  /** What a plain number means. */
  readonly unit: 'milliseconds' | 'seconds';
  /** In milliseconds. */
  readonly default: number | undefined;
  /** @default 0 */
  readonly minimumMs?: number;
  readonly maximumMs: number;
}

/** A setting of a fault: the environment variable's type, unit, range, default and meaning. */
export type Tunable =
  | NumberTunable
  | PercentageTunable
  | DurationTunable
  | (Described & { readonly type: 'boolean'; readonly default: boolean })
  | (Described & {
      readonly type: 'choice';
      readonly choices: readonly string[];
      readonly default: string;
    })
  | (Described & {
      readonly type: 'text';
      readonly default: string;
      /** A regular expression that the whole value must match. */
      readonly pattern?: string;
      /** The pattern in words, for messages. */
      readonly form?: string;
    })
  | (Described & {
      /** Separated by commas. */
      readonly type: 'list';
      readonly default: readonly string[];
      /** A regular expression that each item must match. */
      readonly pattern?: string;
      /** The pattern in words, for messages. */
      readonly form?: string;
    })
  | (Described & {
      /** A JSON object of texts, or `key:value` separated by commas. */
      readonly type: 'map';
      readonly default: Readonly<Record<string, string>>;
    });

/** By environment variable name. */
export type TunableSchema = Readonly<Record<string, Tunable>>;

/** The value type of one tunable; numbers without a default may be undefined. */
type TunableValue<T extends Tunable> = T extends {
  type: 'integer' | 'number' | 'percentage' | 'duration';
}
  ? T extends { default: number }
    ? number
    : number | undefined
  : T extends { type: 'boolean' }
    ? boolean
    : T extends { type: 'list' }
      ? readonly string[]
      : T extends { type: 'map' }
        ? Readonly<Record<string, string>>
        : string;

/** Parsed settings, by environment variable name. */
export type Tunables<S extends TunableSchema> = { readonly [K in keyof S]: TunableValue<S[K]> };

/** Any value of a setting. */
export type AnyTunableValue =
  | number
  | boolean
  | string
  | readonly string[]
  | Readonly<Record<string, string>>
  | undefined;
