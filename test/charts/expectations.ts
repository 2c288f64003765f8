/** What a run of a chart has to come to. */
export interface Expectation {
  readonly verdict: 'Pass' | 'Error';
  /** Part of errorOutput, for those that cannot pass. */
  readonly reason?: RegExp;
  /** Why it deserves that. */
  readonly because: string;
}

/** One run of a chart. */
export interface ChartRun {
  readonly chart: string;
  /** Values for what the chart leaves empty and no run can do without; none: the chart as it is. */
  readonly filled?: Readonly<Record<string, string>>;
  readonly expected: Expectation;
}

const PASS: Expectation = { verdict: 'Pass', because: 'the application is three pods, and recovers' };

/** These act on a node that has to be named; their engines name none, and no application whose node it could be. */
const NO_NODE: Expectation = {
  verdict: 'Error',
  reason: /TARGET_SELECTION_ERROR/,
  because: 'TARGET_NODE is empty, and there is no application to take a node from',
};

const NODE_CHARTS = [
  'docker-service-kill',
  'kubelet-service-kill',
  'node-drain',
  'node-poweroff',
  'node-restart',
  'node-taint',
] as const;

/** A unit of systemd that is not there cannot be stopped, and nobody listens for ssh: said before anything is touched. */
const NOT_HERE: Expectation = {
  verdict: 'Error',
  reason: /./,
  because: 'nodes of the embedded cluster have neither systemd units nor ssh; nothing may be left behind',
};

const FILLED: readonly ChartRun[] = [
  {
    chart: 'node-drain',
    filled: { TARGET_NODE: 'turnsole-3' },
    expected: { ...PASS, because: 'the node is drained and taken back' },
  },
  {
    chart: 'node-taint',
    filled: { TARGET_NODE: 'turnsole-3' },
    expected: { ...PASS, because: 'the taint comes and goes' },
  },
  { chart: 'kubelet-service-kill', filled: { TARGET_NODE: 'turnsole-3' }, expected: NOT_HERE },
  { chart: 'docker-service-kill', filled: { TARGET_NODE: 'turnsole-3' }, expected: NOT_HERE },
  { chart: 'node-restart', filled: { TARGET_NODE: 'turnsole-3' }, expected: NOT_HERE },
];

/** The runs of these charts: each as it is, and those that leave something open once more with it. Pure. */
export function chartRuns(charts: readonly string[]): readonly ChartRun[] {
  const asTheyAre = charts.map((chart): ChartRun => {
    const isNode = (NODE_CHARTS as readonly string[]).includes(chart);
    return { chart, expected: isNode ? NO_NODE : PASS };
  });
  return [...asTheyAre, ...FILLED.filter(({ chart }) => charts.includes(chart))];
}
