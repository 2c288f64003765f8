/** A setting of a fault: the environment variable's type, unit, range, default and meaning. */
export type Tunable =
  | {
      readonly type: 'integer' | 'number';
      readonly default: number;
      readonly minimum?: number;
      readonly maximum?: number;
      /** `seconds`, `milliseconds`, `percent`, `megabytes`… for messages and the reference page. */
      readonly unit?: string;
      /** Accepts `lo-hi`, from which one integer is drawn at the start. */
      readonly range?: boolean;
      readonly description: string;
    }
  | { readonly type: 'boolean'; readonly default: boolean; readonly description: string }
  | {
      readonly type: 'choice';
      readonly choices: readonly string[];
      readonly default: string;
      readonly description: string;
    }
  | {
      readonly type: 'text';
      readonly default: string;
      readonly pattern?: string;
      readonly description: string;
    }
  | { readonly type: 'list'; readonly default: readonly string[]; readonly description: string };

/** By environment variable name. */
export type TunableSchema = Readonly<Record<string, Tunable>>;

/** The value type of one tunable. */
export type TunableValue<T extends Tunable> = T extends { type: 'integer' | 'number' }
  ? number
  : T extends { type: 'boolean' }
    ? boolean
    : T extends { type: 'list' }
      ? readonly string[]
      : string;

/** Parsed settings, by environment variable name. */
export type Tunables<S extends TunableSchema> = { readonly [K in keyof S]: TunableValue<S[K]> };
