/** The ring of a Cassandra cluster as `nodetool status` prints it. All pure. */

/** One node of the ring. */
interface RingNode {
  readonly address: string;
  /** Whether it answers its peers. */
  readonly up: boolean;
  /** `N` normal, `L` leaving, `J` joining, `M` moving. */
  readonly state: string;
  /** Share of the data: `33.3%`, or `?` where keyspaces differ in their replication. */
  readonly owns: string;
}

const STATES: Readonly<Record<string, string>> = { L: 'leaving', J: 'joining', M: 'moving' };

/** The nodes in the rows of a status; headings and notes are left out. */
export function parseRing(text: string): RingNode[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([UD])([NLJM])\s+(\S+)\s+(.*)$/.exec(line.trim());
    const [, status, state = '', address = '', rest = ''] = match ?? [];
    if (match === null) return [];
    const owns = rest.split(/\s+/).find((word) => /^[\d.]+%$/.test(word) || word === '?') ?? '';
    return [{ address, up: status === 'U', state, owns }];
  });
}

/** What keeps the ring from being whole with this many nodes, or undefined. */
export function ringProblem(ring: readonly RingNode[], wanted: number): string | undefined {
  const down = ring.find(({ up }) => !up);
  if (down !== undefined) return `${down.address} is down`;
  const busy = ring.find(({ state }) => state !== 'N');
  if (busy !== undefined) return `${busy.address} is ${STATES[busy.state] ?? busy.state}`;
  const empty = ring.find(({ owns }) => owns === '' || Number.parseFloat(owns) === 0);
  if (empty !== undefined) return `${empty.address} owns nothing`;
  return ring.length < wanted ? `it has ${ring.length} of ${wanted} nodes` : undefined;
}
