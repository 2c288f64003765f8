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

/** Each with what it comes to, on a node that is named. */
const ON_A_NODE: Readonly<Record<(typeof NODE_CHARTS)[number], string>> = {
  'docker-service-kill': 'the container runtime of the node is stopped and started',
  'kubelet-service-kill': 'the kubelet of the node is stopped and started',
  'node-drain': 'the node is drained and taken back',
  'node-poweroff': 'the node is switched off, and on again when the time is over',
  'node-restart': 'the node and its pods go and come back',
  'node-taint': 'the taint comes and goes',
};

const FILLED: readonly ChartRun[] = NODE_CHARTS.map((chart) => ({
  chart,
  filled: { TARGET_NODE: 'turnsole-3' },
  expected: { ...PASS, because: ON_A_NODE[chart] },
}));

/** The runs of these charts: each as it is, and those that leave something open once more with it. Pure. */
export function chartRuns(charts: readonly string[]): readonly ChartRun[] {
  const asTheyAre = charts.map((chart): ChartRun => {
    const isNode = (NODE_CHARTS as readonly string[]).includes(chart);
    return { chart, expected: isNode ? NO_NODE : PASS };
  });
  return [...asTheyAre, ...FILLED.filter(({ chart }) => charts.includes(chart))];
}
