import { pathToFileURL } from 'node:url';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import { subdomainProblems } from '@turnsole/kube/text/names';
import type { Fault } from '../experiment/injection/fault.ts';
import { COMMON_TUNABLES } from '../experiment/injection/settings/common-tunables.ts';

const TARGETS: readonly Fault['targets'][] = ['pods', 'workloads', 'node', 'nodes', 'none'];
const FUNCTIONS = ['plan', 'inject', 'revert'] as const;
/** They may be left out, and are functions where they are there. */
const OPTIONAL = ['validate', 'observe', 'effect', 'hold', 'settle', 'idleReason', 'doubts'] as const;

/**
 * Loads the fault of a user's module: its default export.
 *
 * @throws Error naming the file, and the member that is not right
 */
export async function loadOwnFault(name: string, path: string): Promise<Fault> {
  let found: unknown;
  const { href } = pathToFileURL(path);
  try {
    const module = (await import(href)) as { readonly default?: unknown };
    found = module.default;
  } catch (cause) {
    // Node's message also names the file that imports it, which is this one and not at fault.
    const isMissing = cause instanceof Error && 'url' in cause && cause.url === href;
    const reason = isMissing ? 'there is no such file' : messageOf(cause);
    throw new Error(`cannot load the fault ${name} from ${path}: ${reason}`, { cause });
  }
  const problem = ownFaultProblem(name, found);
  if (problem !== undefined) throw new Error(`${path}: ${problem}`);
  // Its structure was checked; what its functions return the experiment judges as it does with every fault's.
  return found as Fault;
}

/** Why a value is no fault of that name; undefined where it is one. Pure. */
export function ownFaultProblem(name: string, found: unknown): string | undefined {
  if (!isObject(found)) return 'its default export is no fault: export default { name, summary, … }';
  if (subdomainProblems(name).length > 0) return `the name of its file, ${name}, is no name of a fault`;
  if (found['name'] !== name) return `name: expected ${name}, as its file is called`;
  if (typeof found['summary'] !== 'string' || found['summary'] === '')
    return 'summary: expected a sentence that says what it does';
  if (!TARGETS.some((one) => one === found['targets']))
    return `targets: expected one of ${TARGETS.join(', ')}`;
  if (found['shape'] !== 'pulse' && found['shape'] !== 'sustained')
    return 'shape: expected pulse or sustained';
  if (found['where'] !== 'api')
    return 'where: expected api; a fault that acts on nodes from within takes a checkout';
  if (!Array.isArray(found['permissions'])) return 'permissions: expected the rules of a Role, or []';
  if (!isObject(found['tunables'])) return 'tunables: expected its settings, or {}';
  const setting = Object.entries(found['tunables']).find(
    ([, one]) => !isObject(one) || typeof one['type'] !== 'string' || typeof one['description'] !== 'string',
  );
  if (setting !== undefined) return `tunables.${setting[0]}: expected type, description and default`;
  const other = Object.entries(found['tunables']).find(([one, setting]) => {
    const common = Object.hasOwn(COMMON_TUNABLES, one)
      ? COMMON_TUNABLES[one as keyof typeof COMMON_TUNABLES]
      : undefined;
    return common !== undefined && isObject(setting) && setting['type'] !== common.type;
  });
  if (other !== undefined)
    return `tunables.${other[0]}: a setting of all faults; expected its type, ${COMMON_TUNABLES[other[0] as keyof typeof COMMON_TUNABLES].type}`;
  const missing = FUNCTIONS.find((one) => typeof found[one] !== 'function');
  if (missing !== undefined) return `${missing}: expected a function`;
  const wrong = OPTIONAL.find((one) => found[one] !== undefined && typeof found[one] !== 'function');
  return wrong === undefined ? undefined : `${wrong}: expected a function`;
}
