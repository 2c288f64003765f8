/** Settings whose names say too little, in words. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['TOTAL_CHAOS_DURATION', 'Length of the chaos'],
  ['CHAOS_INTERVAL', 'Time from one round to the next'],
  ['PODS_AFFECTED_PERC', 'Share of the pods'],
  ['NODES_AFFECTED_PERC', 'Share of the nodes'],
  ['TARGET_PODS', 'Pods by their names'],
  ['TARGET_CONTAINER', 'Container'],
  ['TARGET_NODE', 'Node'],
  ['TARGET_NODES', 'Nodes by their names'],
  ['NODE_LABEL', 'Label of the nodes'],
  ['RAMP_TIME', 'Wait before and after the chaos'],
  ['SEQUENCE', 'One target after the other, or all at once'],
  ['FORCE', 'Delete without a grace period'],
  ['RANDOMNESS', 'Rounds at random times'],
  ['DESTINATION_IPS', 'Only to these IP addresses'],
  ['DESTINATION_HOSTS', 'Only to these hosts'],
  ['NETWORK_LATENCY', 'Delay of the network'],
  ['JITTER', 'How much the delay varies'],
  ['REPLICA_COUNT', 'Replicas to scale to'],
]);

/** Words that are written in capitals. */
const CAPITALS: ReadonlySet<string> = new Set([
  ...['cpu', 'io', 'ip', 'ips', 'http', 'https', 'url', 'dns', 'tls', 'ssl', 'id', 'ids', 'vm', 'api', 'ec2'],
  ...['ebs', 'rds', 'aws', 'gcp', 'az', 'ssm', 'jvm', 'mib', 'gb', 'os', 'k6', 'pvc'],
]);

/** The name of a setting in words: a known one in ours, any other in its own: `HTTP_STATUS_CODE` is "HTTP status code". Pure. */
export function settingWords(name: string): string {
  const known = WORDS.get(name);
  if (known !== undefined) return known;
  const words = name
    .split('_')
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
    .map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word))
    .join(' ');
  return words === '' ? name : words.slice(0, 1).toUpperCase() + words.slice(1);
}
