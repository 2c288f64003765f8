/** Shorter names than the rule would give, for settings that nearly every fault has. */
const SHORT: Readonly<Record<string, string>> = {
  TOTAL_CHAOS_DURATION: 'duration',
  CHAOS_INTERVAL: 'interval',
  PODS_AFFECTED_PERC: 'podsAffected',
  NODES_AFFECTED_PERC: 'nodesAffected',
};

/**
 * The name of a setting in code: `FORCE` is `force`, `NETWORK_LATENCY` `networkLatency`. What the type says is left out: `LEASE_SECONDS`
 * is `lease`. Pure.
 */
export function settingName(variable: string): string {
  const short = SHORT[variable];
  if (short !== undefined) return short;
  return camelCase(variable.replace(/_(?:SECONDS|PERC)$/, '').split('_'));
}

/** The name of a fault's builder: `pod-delete` is `podDelete`. Pure. */
export function builderName(fault: string): string {
  return camelCase(fault.split('-'));
}

function camelCase(words: readonly string[]): string {
  return words
    .map((word) => word.toLowerCase())
    .map((word, index) => (index === 0 ? word : `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`))
    .join('');
}
