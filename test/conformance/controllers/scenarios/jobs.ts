import { container, FOREVER, job, sh } from '../builders.ts';
import type { Draft } from '../harness/kinds.ts';
import type { Lab } from '../harness/lab.ts';
import type { ControllerTheme } from '../harness/scenario.ts';

async function finished(lab: Lab, name: string, type: 'Complete' | 'Failed'): Promise<void> {
  await lab.until(
    'Job',
    name,
    ({ status }) => status?.conditions?.some((condition) => condition.type === type) === true,
  );
}

const SUCCEED = sh('exit 0');
const FAIL = sh('exit 3');

export const jobs: ControllerTheme = {
  theme: 'jobs',
  scenarios: [
    {
      name: 'job-completions',
      run: async (lab) => {
        await lab.create(job('work', SUCCEED, { completions: 3, parallelism: 2 }));
        await finished(lab, 'work', 'Complete');
        await lab.show('done', 'Job', 'Pod');
        await lab.showEvents('told', 'SuccessfulCreate', 'Completed');
      },
    },
    {
      name: 'job-work-queue',
      run: async (lab) => {
        await lab.create(job('work', SUCCEED, { parallelism: 2 }));
        await finished(lab, 'work', 'Complete');
        await lab.show('done', 'Job', 'Pod');
      },
    },
    {
      name: 'job-backoff-limit',
      run: async (lab) => {
        await lab.create(job('work', FAIL, { backoffLimit: 0 }));
        await finished(lab, 'work', 'Failed');
        await lab.show('failed', 'Job', 'Pod');
        await lab.showEvents('told', 'SuccessfulCreate', 'BackoffLimitExceeded');
      },
    },
    {
      name: 'job-restarts-in-place',
      run: async (lab) => {
        const script = sh('f=$TURNSOLE_POD_ROOT/state/tried; [ -e $f ] && exit 0; touch $f; exit 1');
        await lab.create(
          job(
            'work',
            script,
            {},
            {
              restartPolicy: 'OnFailure',
              volumes: [{ name: 'state', emptyDir: {} }],
              containers: [
                container('main', script, { volumeMounts: [{ name: 'state', mountPath: '/state' }] }),
              ],
            },
          ),
        );
        await finished(lab, 'work', 'Complete');
        await lab.show('done at the second attempt', 'Job', 'Pod');
      },
    },
    {
      name: 'job-on-failure-backoff-limit',
      run: async (lab) => {
        await lab.create(job('work', FAIL, { backoffLimit: 1 }, { restartPolicy: 'OnFailure' }));
        await finished(lab, 'work', 'Failed');
        await lab.untilAll('Pod', (pods) => pods.length === 0);
        // Whether the pod that goes with it counts as failed is a matter of luck in 1.20.
        await lab.showValue('failed, and the pod is gone', () => ({
          conditions: lab
            .list('Job')
            .flatMap(({ status }) => status?.conditions ?? [])
            .filter(({ type }) => type === 'Failed')
            .map(({ status, reason, message }) => ({ status, reason, message })),
          pods: lab.list('Pod').length,
        }));
        await lab.showEvents('told', 'SuccessfulCreate', 'SuccessfulDelete', 'BackoffLimitExceeded');
      },
    },
    {
      name: 'job-active-deadline',
      run: async (lab) => {
        await lab.create(job('work', FOREVER, { activeDeadlineSeconds: 3600 }));
        // A pod that has not begun by the deadline would not be killed.
        await lab.untilAll('Pod', (pods) => pods.some(({ status }) => status?.phase === 'Running'));
        await lab.change('Job', 'work', { spec: { activeDeadlineSeconds: 2 } });
        await finished(lab, 'work', 'Failed');
        await lab.untilAll('Pod', (pods) => pods.length === 0);
        await lab.show('failed', 'Job', 'Pod');
        await lab.showEvents('told', 'SuccessfulCreate', 'SuccessfulDelete', 'DeadlineExceeded', 'Killing');
      },
    },
    {
      name: 'job-ttl',
      run: async (lab) => {
        await lab.create(job('work', SUCCEED, { ttlSecondsAfterFinished: 1 }));
        await lab.until('Job', 'work', () => true);
        await lab.untilGone('Job', 'work');
        await lab.untilAll('Pod', (pods) => pods.length === 0);
        await lab.show('nothing is left', 'Job', 'Pod');
      },
    },
    {
      name: 'job-parallelism-shrinks',
      run: async (lab) => {
        await lab.create(job('work', FOREVER, { completions: 4, parallelism: 3 }));
        await lab.untilAll(
          'Pod',
          (pods) => pods.filter(({ status }) => status?.phase === 'Running').length === 3,
        );
        await lab.change('Job', 'work', { spec: { parallelism: 1 } });
        await lab.untilAll('Pod', (pods) => pods.length === 1);
        await lab.until('Job', 'work', ({ status }) => status?.active === 1);
        await lab.show('one is left', 'Job', 'Pod');
      },
    },
    {
      name: 'job-pod-deleted',
      run: async (lab) => {
        await lab.create(job('work', FOREVER));
        await lab.untilAll('Pod', (pods) => pods.some(({ status }) => status?.phase === 'Running'));
        const old = lab.list('Pod')[0]?.metadata.name ?? '';
        await lab.remove('Pod', old, { gracePeriodSeconds: 0 });
        await lab.untilAll('Pod', (pods) =>
          pods.some(({ metadata, status }) => metadata.name !== old && status?.phase === 'Running'),
        );
        await lab.show('replaced', { kind: 'Pod', where: () => true });
      },
    },
    {
      name: 'job-fails-once',
      run: async (lab) => {
        await lab.create(job('work', FAIL, { backoffLimit: 1 }));
        await finished(lab, 'work', 'Failed');
        await lab.show('two pods have failed', 'Job', 'Pod');
      },
    },
    {
      name: 'job-deleted-in-the-background',
      run: async (lab) => {
        await lab.create(job('work', SUCCEED));
        await finished(lab, 'work', 'Complete');
        await lab.remove('Job', 'work', { propagationPolicy: 'Background' });
        await lab.untilAll('Pod', (pods) => pods.length === 0);
        await lab.show('nothing is left', 'Job', 'Pod');
      },
    },
    {
      name: 'cron-job-suspended',
      run: async (lab) => {
        const { metadata: _none, kind: _kind, ...jobTemplate } = job('work', SUCCEED);
        await lab.create({
          kind: 'CronJob',
          metadata: { name: 'nightly' },
          spec: { schedule: '* * * * *', suspend: true, jobTemplate },
        });
        await lab.until('CronJob', 'nightly', () => true);
        await lab.show('nothing happens', 'CronJob', 'Job');
      },
    },
    {
      name: 'cron-job-runs',
      slow: true,
      run: async (lab) => {
        const { metadata: _none, kind: _kind, ...jobTemplate } = job('work', SUCCEED);
        await lab.create({
          kind: 'CronJob',
          metadata: { name: 'often' },
          spec: { schedule: '* * * * *', successfulJobsHistoryLimit: 1, jobTemplate },
        });
        await lab.untilAll('Job', (all) => all.some(({ status }) => status?.succeeded === 1));
        const first = lab.list('Job')[0]?.metadata.name ?? '';
        await lab.until(
          'CronJob',
          'often',
          ({ status }) => status?.lastScheduleTime !== undefined && (status.active ?? []).length === 0,
        );
        await lab.show('ran once', 'CronJob', 'Job', 'Pod');
        await lab.untilGone('Job', first);
        await lab.showEvents('told', 'SuccessfulCreate', 'SawCompletedJob', 'SuccessfulDelete');
      },
    },
    {
      name: 'cron-job-forbid',
      slow: true,
      run: async (lab) => {
        const { metadata: _none, kind: _kind, ...jobTemplate } = job('work', FOREVER);
        const cron = (name: string, concurrencyPolicy: string): Draft => ({
          kind: 'CronJob',
          metadata: { name },
          spec: { schedule: '* * * * *', concurrencyPolicy, jobTemplate },
        });
        await lab.create(cron('forbids', 'Forbid'), cron('allows', 'Allow'));
        await lab.untilAll(
          'Job',
          (all) => all.filter(({ metadata }) => metadata.name.startsWith('allows')).length === 2,
        );
        await lab.show('one of one, two of the other', 'CronJob', 'Job');
        await lab.showEvents('told', 'SuccessfulCreate');
      },
    },
    {
      name: 'cron-job-replace',
      slow: true,
      run: async (lab) => {
        const { metadata: _none, kind: _kind, ...jobTemplate } = job('work', FOREVER);
        await lab.create({
          kind: 'CronJob',
          metadata: { name: 'often' },
          spec: { schedule: '* * * * *', concurrencyPolicy: 'Replace', jobTemplate },
        });
        await lab.untilAll('Job', (all) => all.length === 1);
        const first = lab.list('Job')[0]?.metadata.name ?? '';
        await lab.untilGone('Job', first);
        await lab.untilAll('Pod', (pods) => pods.length === 1 && pods[0]?.status?.phase === 'Running');
        await lab.show('the second runs', 'CronJob', 'Job');
        await lab.showEvents('told', 'SuccessfulCreate', 'SuccessfulDelete');
      },
    },
  ],
};
