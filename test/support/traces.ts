/** Helpers to compare a trace, and runs that make one. */
import type { TimelineEntry } from '../../src/api/index.ts';
import type { ReceivedSpan } from '../../src/process/traces/testing/received.ts';

/** Lines of a timeline as `MILLISECONDS STEP SENTENCE`, sorted, each as often as it is there. */
export function linesOf(timeline: readonly TimelineEntry[]): string[] {
  return timeline.map(({ time, step, message }) => `${Date.parse(time)} ${step} ${message}`).sort();
}

/** Events of spans in the same form. */
export function eventsOf(spans: readonly ReceivedSpan[]): string[] {
  return spans
    .flatMap(({ events }) => events.map(({ atMs, name, message }) => `${atMs} ${name} ${message}`))
    .sort();
}

/** Of each span the names from the root to it; `?` stands for a missing parent. */
export function pathsOf(spans: readonly ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = ({ name, parentSpanId }: ReceivedSpan): string => {
    const parent = byId.get(parentSpanId);
    if (parent !== undefined) return `${pathOf(parent)} / ${name}`;
    return parentSpanId === '' ? name : `? / ${name}`;
  };
  return spans.map(pathOf);
}

interface WorkflowInput {
  /** Of the engine. */
  readonly manifest: string;
  readonly name: string;
  readonly namespace: string;
  /** Of its steps. */
  readonly account: string;
}

/** A workflow with a step that makes an engine and waits for its end. */
export function workflowAround({ manifest, name, namespace, account }: WorkflowInput): string {
  const lines = manifest.trim().split('\n');
  return `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  entrypoint: main
  serviceAccountName: ${account}
  templates:
    - name: main
      steps: [[{ name: chaos, template: chaos }]]
    - name: chaos
      resource:
        action: create
        successCondition: status.engineStatus == completed
        manifest: |
${lines.map((line) => `          ${line}`).join('\n')}
`;
}
