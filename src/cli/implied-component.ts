/**
 * The component that a container without any argument is meant to be: upstream's runner image is started without
 * arguments, and the operator starts any runner image so. Pure.
 *
 * @returns undefined when the environment names none; then this is a person who typed `turnsole`
 */
export function impliedComponent(env: Readonly<Record<string, string | undefined>>): 'runner' | undefined {
  return env.CHAOSENGINE !== undefined && env.EXPERIMENT_LIST !== undefined ? 'runner' : undefined;
}
