import type {
  ManifestPlan,
  PlanFinding,
  PlannedExperiment,
  PlanSeverity,
} from '../../../src/controlplane/schema/generated/types.ts';
import { durationWords } from '../words/duration.ts';

/** Maximum number of listed rounds. */
const MOST_TIMES = 5;

/** Rounds of a fault: `3 rounds in 15 s, at 0, 5 and 10 s`; for a sustained fault its duration. Pure. */
export function roundsWords({
  rounds,
  durationSeconds,
  intervalSeconds,
}: Pick<PlannedExperiment, 'rounds' | 'durationSeconds' | 'intervalSeconds'>): string {
  const length = durationWords(durationSeconds * 1000);
  if (intervalSeconds === null) return `held for ${length}`;
  const [low = 0, high = low] = intervalSeconds;
  const count = rounds === 1 ? 'one round' : `${rounds} rounds`;
  if (rounds <= 1) return `${count} in ${length}`;
  if (low !== high) return `about ${count} in ${length}, every ${low} to ${high} s`;
  if (rounds > MOST_TIMES) return `${count} in ${length}, every ${low} s`;
  const times = Array.from({ length: rounds }, (_, round) => String(round * low));
  return `${count} in ${length}, at ${times.slice(0, -1).join(', ')} and ${times.at(-1)} s`;
}

/** `2 of 3 pods of deployment shop/web (67 %)`. Pure. */
export function shareWords({
  kind,
  namespace,
  name,
  hit,
  of,
  percent,
  isThere,
}: PlannedExperiment['workloads'][number]): string {
  const what = `${kind} ${namespace}/${name}`;
  const later = isThere ? '' : ', which is not there yet';
  if (hit === null || of === null) return `${what}${later}`;
  if (kind === 'pod') return `${what}${later}`;
  const share = percent === null ? '' : ` (${percent} %)`;
  return `${hit} of ${of} ${of === 1 ? 'pod' : 'pods'} of ${what}${share}${later}`;
}

/** Whether a disruption budget permits a round. Pure. */
export function budgetWords({
  namespace,
  name,
  hitAtOnce,
  allowed,
  violated,
}: PlannedExperiment['budgets'][number]): string {
  const outcome = violated ? 'would be violated' : 'stands it';
  return `budget ${namespace}/${name} ${outcome}: ${hitAtOnce} hit at once, ${allowed} may be missing now`;
}

/** Nodes that are hit or have targets; undefined if there are none. Pure. */
export function nodesWords({ hit, of }: PlannedExperiment['nodes']): string | undefined {
  if (hit.length === 0) return undefined;
  if (of === null) return `${hit.length === 1 ? 'node' : 'nodes'} ${hit.join(', ')}`;
  return `on ${hit.length} of ${of} ${of === 1 ? 'node' : 'nodes'}`;
}

/** Permissions of accounts, as far as known. Pure. */
export function permissionWords({
  permissionsChecked,
  permissionsMissing,
}: Pick<ManifestPlan, 'permissionsChecked' | 'permissionsMissing'>): readonly string[] {
  if (permissionsMissing.length > 0) {
    return permissionsMissing.map(({ account, verb, group, resource, namespace }) => {
      const where = namespace === '' ? 'in the cluster' : `in ${namespace}`;
      return `${account} may not ${verb} ${resource}${group === '' ? '' : `.${group}`} ${where}`;
    });
  }
  if (permissionsChecked === 0) return ['The permissions of the account of the experiment are unknown'];
  return [`The account of the experiment may do all of it (${permissionsChecked} permissions asked for)`];
}

/** Presentation of a severity, by shape, word and colour. */
interface SeverityWords {
  readonly severity: PlanSeverity;
  readonly title: string;
  readonly tone: 'bad' | 'warning' | 'quiet';
}

const SEVERITIES: readonly SeverityWords[] = [
  { severity: 'Problem', title: 'Keeps it from running', tone: 'bad' },
  {
    severity: 'Doubt',
    title: 'Speaks against it as things are now; an earlier step may change that',
    tone: 'warning',
  },
  { severity: 'Warning', title: 'Warnings', tone: 'warning' },
  { severity: 'Note', title: 'To know', tone: 'quiet' },
];

/** Findings of one severity. */
interface FindingGroup extends SeverityWords {
  readonly findings: readonly PlanFinding[];
}

/** Findings by severity, most severe first, without empty severities. Pure. */
export function findingGroups(findings: readonly PlanFinding[]): readonly FindingGroup[] {
  return SEVERITIES.map((words) => ({
    ...words,
    findings: findings.filter(({ severity }) => severity === words.severity),
  })).filter((group) => group.findings.length > 0);
}

/** Why a run of it would be refused; undefined if it would not. Pure. */
export function whyNotRun({
  wouldRun,
  findings,
}: Pick<ManifestPlan, 'wouldRun' | 'findings'>): string | undefined {
  if (wouldRun) return undefined;
  const [first, ...rest] = findings.filter(({ severity }) => severity === 'Problem');
  if (first === undefined) return 'The plan says that a problem keeps it from running';
  const more =
    rest.length === 0 ? '' : ` (and ${rest.length} more ${rest.length === 1 ? 'problem' : 'problems'})`;
  return `This keeps it from running: ${first.text}${more}`;
}

/** The first line: a summary in one sentence. Pure. */
export function planSentence({ wouldRun, findings, experiments }: ManifestPlan): string {
  const count = (severity: PlanSeverity): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const problems = count('Problem');
  if (!wouldRun)
    return problems === 1
      ? 'One problem keeps it from running.'
      : `${problems} problems keep it from running.`;
  const hit = experiments.reduce((sum, { targetCount }) => sum + targetCount, 0);
  const doubts = count('Doubt');
  if (doubts > 0) {
    return doubts === 1
      ? 'It would run; one finding speaks against it as things are now.'
      : `It would run; ${doubts} findings speak against it as things are now.`;
  }
  if (hit === 0) return 'It would run; what it hits is known only then.';
  const what = hit === 1 ? 'one target' : `${hit} targets`;
  const rest = count('Warning') === 0 ? 'nothing speaks against it' : 'some of it is to be thought about';
  return `It would hit ${what} in its first ${experiments.length === 1 ? 'round' : 'rounds'}; ${rest}.`;
}
