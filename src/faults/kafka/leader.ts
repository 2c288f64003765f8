/** Which broker leads a topic, as `kafka-topics --describe` prints it. All pure. */

/** Id of the leader of a topic's first partition; undefined while it has none. */
export function parseLeader(text: string): number | undefined {
  const leader = /\bLeader:\s*(-?\d+|none)/.exec(text)?.[1];
  const id = Number(leader);
  return leader === undefined || Number.isNaN(id) || id < 0 ? undefined : id;
}

/** The pod of a broker: the one whose ordinal is its id, as charts of Kafka number their brokers. */
export function brokerPod(names: readonly string[], id: number): string | undefined {
  return names.find((name) => name.endsWith(`-${id}`));
}

/** How the leader may be asked for, in the order in which it is tried; releases of Kafka know one of them or both. */
export function describeCommands(input: {
  readonly topic: string;
  readonly kafka: string;
  readonly zookeeper: string | undefined;
  readonly instance: string;
}): string[][] {
  const { topic, kafka, zookeeper, instance } = input;
  const base = ['kafka-topics', '--topic', topic, '--describe'];
  const path = instance === '' ? '' : `/${instance}`;
  return [
    ...(zookeeper === undefined ? [] : [[...base, '--zookeeper', `${zookeeper}${path}`]]),
    [...base, '--bootstrap-server', kafka],
  ];
}
