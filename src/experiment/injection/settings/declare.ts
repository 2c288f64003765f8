/** Declarations of settings: the usual words of each kind of setting are here, its own words in the fault. */
import type { NumberTunable, Tunable } from '../tunables.ts';

/** The declaration of one kind, without what these functions say. */
type Own<T extends Tunable> = Omit<T, 'type' | 'description'>;
type OwnOf<Type extends Tunable['type']> = Own<Extract<Tunable, { type: Type }>>;

/** A text; without `fallback` it is empty where it is not given. */
export function text(description: string, fallback = '') {
  return { type: 'text', default: fallback, description } as const;
}

/** A text that has to match a pattern. */
export function patterned(own: Partial<OwnOf<'text'>>, description: string) {
  return { type: 'text', default: '', ...own, description } as const;
}

/** Texts separated by commas. */
export function list(own: Partial<OwnOf<'list'>>, description: string) {
  return { type: 'list', default: [], ...own, description } as const;
}

/** True or false. */
export function flag(fallback: boolean, description: string) {
  return { type: 'boolean', default: fallback, description } as const;
}

/** One word of several. */
export function choice(own: OwnOf<'choice'>, description: string) {
  return { type: 'choice', ...own, description } as const;
}

/** A whole number. */
export function integer<const T extends Own<NumberTunable>>(own: T, description: string) {
  return { type: 'integer', ...own, description } as const;
}

/** A TCP port. */
export function port(fallback: number, description: string) {
  return { type: 'integer', default: fallback, minimum: 1, maximum: 65_535, description } as const;
}

/** A number that may have a fraction. */
export function number<const T extends Own<NumberTunable>>(own: T, description: string) {
  return { type: 'number', ...own, description } as const;
}

/** A time, read as milliseconds. */
export function duration<const T extends OwnOf<'duration'>>(own: T, description: string) {
  return { type: 'duration', ...own, description } as const;
}
