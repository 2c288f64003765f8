import { isObject, parseObject, textOf } from '@turnsole/kube/text/json';

/** One pod's log, and its name. */
interface NamedLog {
  /** Empty for the pod that was asked for. */
  readonly pod: string;
  readonly text: string;
}

/**
 * The logs in an agent's answer: JSON with the main container's and, for a step that made an engine, those of its pods. What is no such
 * JSON is a sentence of the agent or of the server. Pure.
 */
export function podLogs(answer: string): readonly NamedLog[] {
  const logs = parseObject(answer);
  if (logs === undefined) return [{ pod: '', text: answer }];
  const { mainLogs, chaosLogs } = logs;
  const ofChaos = typeof chaosLogs === 'object' && chaosLogs !== null ? Object.entries(chaosLogs) : [];
  return [
    { pod: '', text: typeof mainLogs === 'string' ? mainLogs : '' },
    ...ofChaos.map(([pod, text]) => ({ pod, text: String(text) })),
  ];
}

/** The request for the logs of a node of a run's graph. */
interface PodRequest {
  readonly name: string;
  /** Whether the node is a step with a pod of its own. */
  readonly isStep: boolean;
  readonly request: Readonly<Record<string, string>>;
}

/** Requests for all pods of a run: those of its steps, and with them, or on their own where no workflow makes the engine, those of its engines. Pure. */
export function podRequests(executionData: string): readonly PodRequest[] {
  const { nodes, namespace, experimentType } = parseObject(executionData) ?? {};
  const place = textOf(namespace);
  return (isObject(nodes) ? Object.entries(nodes) : []).flatMap(([id, node]) => {
    if (!isObject(node) || (node.type !== 'Pod' && node.type !== 'ChaosEngine')) return [];
    const isStep = experimentType !== 'chaosengine';
    const engine = isObject(node.chaosData) ? node.chaosData : undefined;
    const ofEngine = {
      expPod: textOf(engine?.experimentPod),
      runnerPod: textOf(engine?.runnerPod),
      chaosNamespace: textOf(engine?.namespace),
    };
    const ofStep = { podName: isStep ? id : '', podNamespace: place, podType: node.type };
    return [{ name: textOf(node.name) || id, isStep, request: { ...ofStep, ...(engine && ofEngine) } }];
  });
}
