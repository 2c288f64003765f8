/** Jobs, deployments and the other makers of pods: defaults, and what is refused. */
import type { Theme } from '../harness/scenario.ts';
import { apis, patch, post, setup } from '../harness/steps.ts';

const JOBS = apis('batch/v1', 'jobs');
const DEPLOYMENTS = apis('apps/v1', 'deployments');

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

function deployment(extra: object, metadata: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', ...metadata },
    spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE, ...extra },
  };
}

function job(extra: object, podSpec: object = {}): object {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }], ...podSpec } },
      ...extra,
    },
  };
}

/** The texts hold values in Go's own format, or are others in later versions. */
const REWORDED = { ignore: ['/body/message', '/body/details/causes/*/message'] };

export const WORKLOADS: Theme = {
  theme: 'workloads',
  scenarios: [
    {
      name: 'job-defaults',
      steps: [
        // Labels and selectors hold the uid under other names in later versions; jobs had no suspension.
        post(JOBS, job({ ttlSecondsAfterFinished: 5 }), {
          ignore: [
            '/body/spec/template/metadata',
            '/body/spec/selector',
            '/body/metadata/labels',
            '/body/metadata/annotations',
            '/body/metadata/generation',
          ],
        }),
        patch(
          'merge',
          `${JOBS}/j`,
          { spec: { parallelism: 3 } },
          {
            ignore: [
              '/body/spec/template/metadata',
              '/body/spec/selector',
              '/body/metadata/labels',
              '/body/metadata/annotations',
              '/body/metadata/generation',
            ],
          },
        ),
        patch('merge', `${JOBS}/j`, { spec: { backoffLimit: -1 } }),
      ],
    },
    {
      name: 'job-invalid',
      steps: [
        post(JOBS, job({}, { restartPolicy: 'Always' }), {
          ignore: ['/body/message', '/body/details/causes/*/message'],
        }),
        post(
          JOBS,
          job({
            parallelism: -1,
            completions: -2,
            backoffLimit: -3,
            activeDeadlineSeconds: -4,
            ttlSecondsAfterFinished: -5,
          }),
        ),
        post(JOBS, job({ selector: { matchLabels: { a: 'b' } } }), {
          ignore: ['/body/message', '/body/details/causes'],
        }),
        post(JOBS, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: {} }),
      ],
    },
    {
      name: 'job-template-is-immutable',
      steps: [
        setup(post(JOBS, job({}))),
        // The message holds a dump of the template.
        patch(
          'strategic',
          `${JOBS}/j`,
          { spec: { template: { spec: { containers: [{ name: 'c', image: 'other' }] } } } },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        patch('merge', `${JOBS}/j`, { spec: { completions: 5 } }),
      ],
    },
    {
      name: 'cronjob-invalid',
      steps: [
        post(
          apis('batch/v1', 'cronjobs'),
          {
            apiVersion: 'batch/v1',
            kind: 'CronJob',
            metadata: { name: 'c' },
            spec: {
              schedule: 'nonsense',
              jobTemplate: {
                spec: {
                  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
                },
              },
            },
          },
          REWORDED,
        ),
        post(apis('batch/v1', 'cronjobs'), {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'c' },
          spec: {
            schedule: '* * * * *',
            concurrencyPolicy: 'Maybe',
            jobTemplate: {
              spec: {
                template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
              },
            },
          },
        }),
        post(apis('batch/v1', 'cronjobs'), {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'n'.repeat(53) },
          spec: {
            schedule: '* * * * *',
            jobTemplate: {
              spec: {
                template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
              },
            },
          },
        }),
      ],
    },
    {
      name: 'deployment-invalid',
      steps: [
        post(DEPLOYMENTS, deployment({ selector: {} })),
        post(DEPLOYMENTS, deployment({ selector: { matchLabels: { a: 'other' } } })),
        post(DEPLOYMENTS, deployment({ replicas: -1 })),
        post(DEPLOYMENTS, deployment({ strategy: { type: 'Nonsense' } })),
        post(DEPLOYMENTS, deployment({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } })),
        post(
          DEPLOYMENTS,
          deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
          REWORDED,
        ),
        post(
          DEPLOYMENTS,
          deployment({ strategy: { rollingUpdate: { maxSurge: '10', maxUnavailable: '120%' } } }),
          REWORDED,
        ),
        post(DEPLOYMENTS, deployment({ minReadySeconds: -1, revisionHistoryLimit: -1 })),
        post(DEPLOYMENTS, deployment({ progressDeadlineSeconds: 5, minReadySeconds: 10 })),
        post(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } }),
      ],
    },
    {
      name: 'deployment-generation',
      steps: [
        post(DEPLOYMENTS, deployment({}, { generation: 9 })),
        patch('merge', `${DEPLOYMENTS}/d`, { metadata: { labels: { x: 'y' } } }),
        patch('merge', `${DEPLOYMENTS}/d`, { spec: { paused: true } }),
        patch('merge', `${DEPLOYMENTS}/d`, { spec: { paused: true } }),
        patch('merge', `${DEPLOYMENTS}/d`, {
          metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } },
        }),
        patch('merge', `${DEPLOYMENTS}/d/status`, { status: { observedGeneration: 2 } }),
        patch('merge', `${DEPLOYMENTS}/d`, { metadata: { generation: 50 } }),
      ],
    },
    {
      name: 'statefulset-immutable',
      steps: [
        setup(
          post(apis('apps/v1', 'statefulsets'), { ...deployment({ serviceName: 's' }), kind: 'StatefulSet' }),
        ),
        // Later versions name more fields that may be changed.
        patch(
          'merge',
          apis('apps/v1', 'statefulsets', 'd'),
          { spec: { serviceName: 'other' } },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        patch(
          'merge',
          apis('apps/v1', 'statefulsets', 'd'),
          { spec: { podManagementPolicy: 'Parallel' } },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
      ],
    },
    {
      name: 'daemonset-defaults-and-selector',
      steps: [
        setup(post(apis('apps/v1', 'daemonsets'), { ...deployment({}), kind: 'DaemonSet' })),
        patch('merge', apis('apps/v1', 'daemonsets', 'd'), {
          spec: { selector: { matchLabels: { a: 'c' } }, template: { metadata: { labels: { a: 'c' } } } },
        }),
        post(apis('apps/v1', 'daemonsets'), {
          ...deployment({ updateStrategy: { type: 'Nonsense' } }, { name: 'e' }),
          kind: 'DaemonSet',
        }),
      ],
    },
  ],
};
