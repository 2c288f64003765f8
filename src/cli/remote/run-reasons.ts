import { isObject, parseObject } from '@turnsole/kube/text/json';
import { asOneLine } from '@turnsole/kube/text/visible';

/**
 * Why a run did not pass, a line each: what its agent says of all of it, where it has no step, and of each of its engines, and what the probes that failed
 * found. Documented fields only, so that this works with ChaosCenter as well. Pure.
 *
 * @param executionData the agent's account, or what the server says in its place
 */
export function runReasons(executionData: string): readonly string[] {
  const { message, nodes } = parseObject(executionData) ?? {};
  const all = isObject(nodes) ? Object.values(nodes) : [];
  const ofEngines = all.flatMap((node) => {
    const data = isObject(node) && isObject(node.chaosData) ? node.chaosData : {};
    const why = lineOf(data.failStep);
    const name = lineOf(data.experimentName) || lineOf(data.faultName) || lineOf(data.engineName);
    const ofEngine = why === '' ? [] : [name === '' ? why : `${name}: ${why}`];
    return [...ofEngine, ...failedProbes(data.chaosResult)];
  });
  // With steps it is the state of the engine, or repeats what a step says.
  const ofRun = all.length === 0 ? lineOf(message) : '';
  return ofRun === '' ? ofEngines : [ofRun];
}

/** What the probes of a ChaosResult that failed found. */
function failedProbes(result: unknown): string[] {
  const { probeStatuses } = isObject(result) && isObject(result.status) ? result.status : {};
  const list: readonly unknown[] = Array.isArray(probeStatuses) ? probeStatuses : [];
  return list.filter(isObject).flatMap(({ name, status }) => {
    const { verdict, description } = isObject(status) ? status : {};
    return verdict === 'Failed' ? [`probe ${lineOf(name)}: ${lineOf(description) || 'failed'}`] : [];
  });
}

/** One line without control characters: the words are those of a cluster. */
export function lineOf(value: unknown): string {
  return typeof value === 'string' ? asOneLine(value).replace(/\s+/gu, ' ').trim() : '';
}
