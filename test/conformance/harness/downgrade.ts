/**
 * The recorded server (1.20) knows some kinds in an earlier version of their group only, with the same fields as far as
 * scenarios use them. Requests are rewritten on their way to it, answers on their way back.
 */
import { parseBody } from './answer.ts';
import type { RawAnswer, RawRequest, Target } from './exchange.ts';

interface Earlier {
  readonly path: RegExp;
  readonly now: string;
  readonly before: string;
  /** Only objects of these kinds. @default all of the version */
  readonly kinds?: readonly string[];
}

const EARLIER: readonly Earlier[] = [
  { path: /^\/apis\/policy\/v1(?=\/|$)/, now: 'policy/v1', before: 'policy/v1beta1' },
  {
    path: /^\/apis\/discovery\.k8s\.io\/v1(?=\/|$)/,
    now: 'discovery.k8s.io/v1',
    before: 'discovery.k8s.io/v1beta1',
  },
  {
    path: /^\/apis\/batch\/v1(?=\/(?:namespaces\/[^/]+\/)?cronjobs\b)/,
    now: 'batch/v1',
    before: 'batch/v1beta1',
    kinds: ['CronJob', 'CronJobList'],
  },
];

/** A target that is asked in its own versions. */
export function downgraded(target: Target): Target {
  return {
    send: async (request, signal) => upgradeAnswer(await target.send(downgradeRequest(request), signal)),
    open: (request, signal) => target.open(downgradeRequest(request), signal),
    close: () => target.close(),
  };
}

export function downgradeRequest(request: RawRequest): RawRequest {
  const { path, body } = request;
  const rule = EARLIER.find((earlier) => earlier.path.test(path));
  if (rule === undefined && !/"apiVersion":"(?:policy|batch|discovery\.k8s\.io)\/v1"/.test(body ?? ''))
    return request;
  const rewritten = rule === undefined ? path : path.replace(rule.path, `/apis/${rule.before}`);
  const parsed = body === undefined ? undefined : parseBody(body);
  if (typeof parsed !== 'object') return { ...request, path: rewritten };
  return { ...request, path: rewritten, body: JSON.stringify(mapVersions(parsed, 'now', 'before')) };
}

export function upgradeAnswer(answer: RawAnswer): RawAnswer {
  const parsed = parseBody(answer.body);
  if (typeof parsed !== 'object') return answer;
  return { ...answer, body: JSON.stringify(mapVersions(parsed, 'before', 'now')) };
}

function mapVersions(value: unknown, from: 'now' | 'before', to: 'now' | 'before'): unknown {
  if (Array.isArray(value)) return value.map((item) => mapVersions(item, from, to));
  if (typeof value !== 'object' || value === null) return value;
  const { apiVersion, kind } = value as { apiVersion?: unknown; kind?: unknown };
  const rule = EARLIER.find(
    (earlier) => earlier[from] === apiVersion && (earlier.kinds?.includes(String(kind)) ?? true),
  );
  const entries = Object.entries(value).map(([key, child]) => [key, mapVersions(child, from, to)] as const);
  const mapped = Object.fromEntries(entries);
  return rule === undefined ? mapped : { ...mapped, apiVersion: rule[to] };
}
