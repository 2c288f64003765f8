/** Variable by which the everyday suite asks for the first variant of each test. */
export const VARIANTS = 'TURNSOLE_TEST_VARIANTS';

/**
 * Of the variants in which tests are to pass (databases, themes, widths) those that are wanted: all, or in the everyday suite the first one.
 * The others seldom notice what the first does not; before a change lands, and where a file is run by itself, all are tested.
 */
export function variants<const T>(all: readonly T[]): readonly T[] {
  return process.env[VARIANTS] === 'first' ? all.slice(0, 1) : all;
}
