/** A variable under its name of an older LitmusChaos. */
interface RetiredVariable {
  /** Its present name. */
  readonly successor: string;
  /** What is hit by faults for which it chooses a target; for these it must not be passed over. */
  readonly choosesFor: readonly string[];
  /** What else is to be known. */
  readonly remark?: string;
}

/** Names of LitmusChaos 1 that still stand in users' files. */
export const RETIRED_VARIABLES: Readonly<Record<string, RetiredVariable>> = {
  APP_NODE: { successor: 'TARGET_NODE', choosesFor: ['node'] },
  TARGET_POD: { successor: 'TARGET_PODS', choosesFor: ['pods', 'containers'] },
  TARGET_IPs: { successor: 'DESTINATION_IPS', choosesFor: ['pods', 'containers'] },
  TARGET_HOSTS: { successor: 'DESTINATION_HOSTS', choosesFor: ['pods', 'containers'] },
  KILL_COUNT: { successor: 'PODS_AFFECTED_PERC', choosesFor: [], remark: 'which is a percentage' },
};

/** A retired variable that somebody has set, in an experiment that has its successor. */
interface RetiredInUse {
  readonly name: string;
  readonly value: string;
  readonly successor: string;
}

/**
 * The retired names in an environment that would choose a target and are not followed by their present name: passing them over would hit
 * something else than what was written. Pure.
 *
 * @param targets what the fault hits
 * @param settings names of the fault's settings
 */
export function retiredTargets(
  env: Readonly<Record<string, string | undefined>>,
  targets: string | undefined,
  settings: readonly string[],
): RetiredInUse[] {
  return Object.entries(RETIRED_VARIABLES).flatMap(([name, { successor, choosesFor }]) => {
    const value = env[name]?.trim() ?? '';
    const isFollowed = (env[successor]?.trim() ?? '') !== '';
    const chooses = choosesFor.includes(targets ?? '') && settings.includes(successor);
    return value !== '' && chooses && !isFollowed ? [{ name, value, successor }] : [];
  });
}
