import { CRON_JOBS, JOBS } from '@turnsole/kube/kinds/resources';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  type ApiObject,
  asJson,
  asNumber,
  asObjects,
  asString,
  childOf,
  type Json,
  semanticallyEqual,
  setDefault,
  setDefaults,
  valueAt,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { formatAge, formatDuration } from '../tables/duration.ts';
import { scheduleMistakes } from '../validation/cron-schedule.ts';
import { FieldErrors, requiredField, shownSelector } from '../validation/field.ts';
import { validateFailurePolicy, validateSuccessPolicy } from '../validation/job-policies.ts';
import { checkSubdomainName } from '../validation/names.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';
import { defineKind, withStatus } from './define.ts';
import type { KindDefinition } from './kind.ts';
import { defaultTemplate } from './pod-spec-defaults.ts';
import { containerColumns, formatSelector, templateColumns, validateTemplate } from './workload-rules.ts';

const RESTART_POLICIES = ['OnFailure', 'Never'];
/** The job controller's labels; the short ones are the old form and still promised. */
const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const NAME_LABEL = 'batch.kubernetes.io/job-name';

function defaultJobSpec(spec: Record<string, unknown>): void {
  const hasParallelism = spec.parallelism !== undefined;
  if (spec.completions === undefined && !hasParallelism) {
    spec.completions = 1;
    spec.parallelism = 1;
  } else setDefault(spec, 'parallelism', 1);
  // Each index has its own limit then.
  const backoffLimit = spec.backoffLimitPerIndex === undefined ? 6 : 2_147_483_647;
  setDefaults(spec, { backoffLimit, completionMode: 'NonIndexed', suspend: false, manualSelector: false });
  setDefault(
    spec,
    'podReplacementPolicy',
    spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  );
  for (const rule of asObjects(asJson(spec.podFailurePolicy).rules)) {
    for (const condition of asObjects(rule.onPodConditions)) condition.status ||= 'True';
  }
  defaultTemplate(spec.template);
}

/** A job selects its own pods by its uid, so that two jobs never fight for one pod. */
function generateSelector(object: ApiObject): void {
  const spec = childOf(object, 'spec');
  // A selector of one's own needs to be asked for; it is left for validation to refuse.
  if (spec.manualSelector === true || spec.selector !== undefined) return;
  const { uid = '', name = '' } = object.metadata;
  const metadata = childOf(childOf(spec, 'template'), 'metadata');
  metadata.labels = {
    ...asJson(metadata.labels),
    [UID_LABEL]: uid,
    [NAME_LABEL]: name,
    'controller-uid': uid,
    'job-name': name,
  };
  spec.selector = { matchLabels: { [UID_LABEL]: uid } };
}

function ownsSelector(object: ApiObject): boolean {
  return valueAt(object, 'spec', 'selector', 'matchLabels', UID_LABEL) === object.metadata.uid;
}

/** A job without labels of its own has those of its template. */
function takeTemplateLabels(object: ApiObject): void {
  const labels = asJson(valueAt(object, 'spec', 'template', 'metadata', 'labels'));
  if (Object.keys(object.metadata.labels ?? {}).length > 0 || Object.keys(labels).length === 0) return;
  // Decoded as a map of strings.
  object.metadata.labels = { ...(labels as Record<string, string>) };
}

function validateCounts(spec: Json): FieldErrors {
  const errors = new FieldErrors();
  errors.counts('spec', spec, [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ]);
  return errors;
}

function validateJob(object: ApiObject): FieldError[] {
  const spec = asJson(object.spec);
  const errors = new FieldErrors();
  errors.push(...validateCounts(spec));
  if (spec.manualSelector !== true && !ownsSelector(object)) {
    const selector = shownSelector(spec.selector);
    errors.invalid('spec.selector', selector, '`selector` not auto-generated');
  }
  const mode = asString(spec.completionMode);
  errors.push(...validateFailurePolicy(spec), ...validateSuccessPolicy(spec));
  errors.oneOf('spec.completionMode', mode, ['NonIndexed', 'Indexed']);
  if (mode === 'Indexed' && spec.completions === undefined) {
    errors.required('spec.completions', 'when completion mode is Indexed');
  }
  const found = validateTemplate(object, { kind: 'job', restartPolicies: RESTART_POLICIES });
  const path = 'spec.template.spec.restartPolicy';
  if (valueAt(spec, 'template', 'spec', 'restartPolicy') !== 'Always') return [...errors, ...found];
  return [...errors, ...found.filter((error) => error.path !== path), missingRestartPolicy(path)];
}

/** A job does not allow the default of pods (Always), so an absent policy is reported as missing and not as wrong. */
function missingRestartPolicy(path: string): FieldError {
  return requiredField(path, 'valid values: "OnFailure", "Never"');
}

/** Problems of the pods that a cron job's jobs would have: with the cron job, as no user is there when a job is made. */
function validateJobTemplate(spec: Json): FieldError[] {
  const path = 'spec.jobTemplate.spec.template.spec';
  const pod = asJson(valueAt(spec, 'jobTemplate', 'spec', 'template', 'spec'));
  const errors = validatePodSpec(pod, path);
  return pod.restartPolicy === 'Always' ? [...errors, missingRestartPolicy(`${path}.restartPolicy`)] : errors;
}

function validateJobUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const spec = asJson(object.spec);
  const before = asJson(old.spec);
  // The real server checks them a second time with an update, so causes repeat.
  const errors = validateCounts(spec);
  for (const field of ['completions', 'selector', 'template', 'completionMode']) {
    // A suspended job that never ran may still have its scheduling directives changed.
    if (field === 'template' && before.suspend === true) continue;
    if (semanticallyEqual(spec[field], before[field])) continue;
    errors.invalid(`spec.${field}`, spec[field], 'field is immutable');
  }
  return errors;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format();
    return true;
  } catch {
    return false;
  }
}

function jobStatus(job: ApiObject): string {
  const conditions = asObjects(valueAt(job, 'status', 'conditions'));
  const is = (type: string): boolean =>
    conditions.some((item) => item.type === type && item.status === 'True');
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (is('Suspended')) return 'Suspended';
  if (is('FailureTarget')) return 'FailureTarget';
  if (is('SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return 'Running';
}

function completions(job: ApiObject): string {
  const done = asNumber(valueAt(job, 'status', 'succeeded'));
  const wanted = valueAt(job, 'spec', 'completions');
  if (typeof wanted === 'number') return `${done}/${wanted}`;
  const parallel = asNumber(valueAt(job, 'spec', 'parallelism'), 1);
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

function duration(job: ApiObject, now: number): string {
  const start = Date.parse(asString(valueAt(job, 'status', 'startTime')));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(asString(valueAt(job, 'status', 'completionTime')));
  return formatDuration((Number.isNaN(end) ? now : end) - start);
}

/** `batch/v1`. */
export const BATCH_KINDS: readonly KindDefinition[] = [
  defineKind(JOBS, {
    categories: ['all'],
    hasGeneration: true,
    hasStatus: true,
    rules: {
      applyDefaults: (object) => defaultJobSpec(childOf(object, 'spec')),
      prepareCreate: (object) => {
        object.status = {};
        generateSelector(object);
        takeTemplateLabels(object);
      },
      validate: validateJob,
      validateUpdate: validateJobUpdate,
    },
    columns: [
      NAME_COLUMN,
      column('Status', jobStatus),
      column('Completions', completions),
      column('Duration', duration),
      AGE_COLUMN,
      ...templateColumns(),
    ],
    fields: { 'status.successful': (job) => String(asNumber(valueAt(job, 'status', 'succeeded'))) },
  }),
  defineKind(CRON_JOBS, {
    // Room for the eleven characters that a job's name gets.
    checkName: (name) =>
      name.length > 52 ? ['must be no more than 52 characters'] : checkSubdomainName(name),
    shortNames: ['cj'],
    categories: ['all'],
    hasGeneration: true,
    hasStatus: true,
    rules: {
      applyDefaults: (object) => {
        const spec = childOf(object, 'spec');
        setDefaults(spec, {
          concurrencyPolicy: 'Allow',
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
        });
        defaultTemplate(valueAt(spec, 'jobTemplate', 'spec', 'template'));
      },
      prepareCreate: withStatus({}),
      validate: (object) => {
        const spec = asJson(object.spec);
        const errors = new FieldErrors();
        const schedule = asString(spec.schedule);
        if (schedule === '') errors.required('spec.schedule');
        else
          for (const mistake of scheduleMistakes(schedule))
            errors.invalid('spec.schedule', schedule, mistake);
        const zone = spec.timeZone;
        if (typeof zone === 'string' && !isTimeZone(zone)) {
          errors.invalid('spec.timeZone', zone, `unknown time zone ${zone}`);
        }
        const policies = ['Allow', 'Forbid', 'Replace'];
        const policy = asString(spec.concurrencyPolicy);
        errors.oneOf('spec.concurrencyPolicy', policy, policies);
        return [...errors, ...validateJobTemplate(spec)];
      },
    },
    columns: [
      NAME_COLUMN,
      column('Schedule', (job) => asString(valueAt(job, 'spec', 'schedule'))),
      column('Timezone', (job) => asString(valueAt(job, 'spec', 'timeZone')) || '<none>'),
      column('Suspend', (job) => (valueAt(job, 'spec', 'suspend') === true ? 'True' : 'False')),
      column('Active', (job) => asObjects(valueAt(job, 'status', 'active')).length, { type: 'integer' }),
      column('Last Schedule', (job, now) => {
        const last = valueAt(job, 'status', 'lastScheduleTime');
        return last === undefined ? '<none>' : formatAge(last, now);
      }),
      AGE_COLUMN,
      ...containerColumns(['spec', 'jobTemplate', 'spec', 'template', 'spec'], { wide: true }),
      column('Selector', (job) => formatSelector(valueAt(job, 'spec', 'jobTemplate', 'spec', 'selector')), {
        wide: true,
      }),
    ],
  }),
];
