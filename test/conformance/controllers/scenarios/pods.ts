import { configMap, container, FOREVER, fileProbe, IMAGE, pod, sh } from '../builders.ts';
import type { Lab } from '../harness/lab.ts';
import type { ControllerTheme } from '../harness/scenario.ts';

async function ended(lab: Lab, name: string): Promise<void> {
  await lab.until('Pod', name, ({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed');
}

async function runs(lab: Lab, name: string): Promise<void> {
  await lab.until('Pod', name, ({ status }) => status?.phase === 'Running');
}

async function waits(lab: Lab, name: string, reason: string): Promise<void> {
  await lab.until('Pod', name, ({ status }) => {
    const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    return all.some(({ state }) => state?.waiting?.reason === reason);
  });
}

/** Waits until nothing but its finalizer holds a pod: everything of it has ended. */
async function isOver(lab: Lab, name: string): Promise<void> {
  await lab.until('Pod', name, ({ metadata }) => metadata.deletionGracePeriodSeconds === 0);
}

/** Keeps the object of a pod that is to be deleted, so that its last status can be seen. */
const HELD = { finalizers: ['example.com/seen'] };

async function release(lab: Lab, name: string): Promise<void> {
  await lab.change('Pod', name, { metadata: { finalizers: null } });
  await lab.untilGone('Pod', name);
}

export const pods: ControllerTheme = {
  theme: 'pods',
  scenarios: [
    {
      name: 'pod-completes',
      run: async (lab) => {
        const phases = lab.trace('Pod', ({ status }) => status?.phase);
        await lab.create(pod('one', { command: sh('sleep 1'), restartPolicy: 'Never' }));
        await ended(lab, 'one');
        await lab.show('succeeded', 'Pod');
        await phases.show('phases');
        await lab.showEvents('told', 'Scheduled', 'Pulled', 'Created', 'Started', 'Killing');
      },
    },
    {
      name: 'pod-fails',
      run: async (lab) => {
        await lab.create(pod('one', { command: sh('exit 7'), restartPolicy: 'Never' }));
        await ended(lab, 'one');
        await lab.show('failed', 'Pod');
      },
    },
    {
      name: 'pod-killed-by-signal',
      run: async (lab) => {
        await lab.create(pod('one', { command: sh("sh -c 'kill -9 $$'; exit $?"), restartPolicy: 'Never' }));
        await ended(lab, 'one');
        await lab.show('failed', 'Pod');
      },
    },
    {
      name: 'pod-one-of-two-fails',
      run: async (lab) => {
        const containers = [container('good', sh('sleep 0.5')), container('bad', sh('exit 1'))];
        await lab.create(pod('two', { containers, restartPolicy: 'Never' }));
        await ended(lab, 'two');
        await lab.show('failed', 'Pod');
      },
    },
    {
      name: 'pod-one-of-two-has-ended',
      run: async (lab) => {
        const containers = [container('short', sh('exit 0')), container('long', FOREVER)];
        await lab.create(pod('two', { containers, restartPolicy: 'Never' }));
        await lab.until('Pod', 'two', ({ status }) => {
          const [, short] = [...(status?.containerStatuses ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
          return short?.state?.terminated !== undefined && status?.phase === 'Running';
        });
        await lab.show('runs on, not ready', 'Pod');
      },
    },
    {
      name: 'pod-crash-loop',
      run: async (lab) => {
        await lab.create(pod('one', { command: sh('exit 1') }));
        await lab.until('Pod', 'one', ({ status }) => {
          const container = status?.containerStatuses?.[0];
          return container?.restartCount === 1 && container.state?.waiting?.reason === 'CrashLoopBackOff';
        });
        await lab.show('backs off', 'Pod');
        await lab.showEvents('told', 'BackOff');
      },
    },
    {
      name: 'pod-restarts-after-success',
      run: async (lab) => {
        await lab.create(pod('one', { command: sh('sleep 0.3') }));
        await lab.until('Pod', 'one', ({ status }) => {
          const container = status?.containerStatuses?.[0];
          return container?.restartCount === 1 && container.state?.waiting?.reason === 'CrashLoopBackOff';
        });
        await lab.show('backs off after Completed', 'Pod');
      },
    },
    {
      name: 'pod-image-never-present',
      run: async (lab) => {
        await lab.create(
          pod('one', {
            containers: [{ name: 'main', image: 'rig.local/absent:1', imagePullPolicy: 'Never' }],
          }),
        );
        await waits(lab, 'one', 'ErrImageNeverPull');
        await lab.show('waits', 'Pod');
        await lab.showEvents('told', 'ErrImageNeverPull', 'Failed');
      },
    },
    {
      name: 'pod-image-pull-fails',
      run: async (lab) => {
        await lab.create(pod('one', { containers: [{ name: 'main', image: 'rig.invalid/absent:1' }] }));
        await waits(lab, 'one', 'ImagePullBackOff');
        await lab.showEvents('told', 'Pulling', 'BackOff');
      },
    },
    {
      name: 'pod-image-name-invalid',
      run: async (lab) => {
        await lab.create(pod('one', { containers: [{ name: 'main', image: 'Not An Image' }] }));
        await waits(lab, 'one', 'InvalidImageName');
        await lab.show('waits', 'Pod');
        await lab.showEvents('told', 'InspectFailed', 'Failed');
      },
    },
    {
      name: 'pod-init-containers',
      run: async (lab) => {
        const initContainers = [container('first', sh('exit 0')), container('second', sh('exit 0'))];
        await lab.create(pod('one', { initContainers }));
        await runs(lab, 'one');
        await lab.show('runs', 'Pod');
        await lab.showEvents('told', 'Created', 'Started');
      },
    },
    {
      name: 'pod-init-waits',
      run: async (lab) => {
        const initContainers = [container('first', FOREVER), container('second', sh('exit 0'))];
        await lab.create(pod('one', { initContainers }));
        await lab.until(
          'Pod',
          'one',
          ({ status }) =>
            status?.initContainerStatuses?.some(({ state }) => state?.running !== undefined) === true,
        );
        await lab.show('initialises', 'Pod');
      },
    },
    {
      name: 'pod-init-fails',
      run: async (lab) => {
        await lab.create(
          pod('one', { initContainers: [container('first', sh('exit 2'))], restartPolicy: 'Never' }),
        );
        await ended(lab, 'one');
        await lab.show('failed', 'Pod');
      },
    },
    {
      name: 'pod-init-crash-loop',
      run: async (lab) => {
        await lab.create(pod('one', { initContainers: [container('first', sh('exit 2'))] }));
        await lab.until('Pod', 'one', ({ status }) => {
          const container = status?.initContainerStatuses?.[0];
          return container?.restartCount === 1 && container.state?.waiting?.reason === 'CrashLoopBackOff';
        });
        await lab.show('backs off', 'Pod');
        await lab.showEvents('told', 'BackOff');
      },
    },
    {
      name: 'pod-post-start-fails',
      run: async (lab) => {
        const lifecycle = { postStart: { exec: { command: sh('exit 9') } } };
        await lab.create(
          pod('one', { containers: [container('main', FOREVER, { lifecycle })], restartPolicy: 'Never' }),
        );
        await ended(lab, 'one');
        await lab.show('failed', 'Pod');
        await lab.showEvents('told', 'FailedPostStartHook', 'Killing');
      },
    },
    {
      name: 'pod-liveness',
      run: async (lab) => {
        const livenessProbe = fileProbe('/nowhere', { failureThreshold: 1, initialDelaySeconds: 1 });
        await lab.create(pod('one', { containers: [container('main', FOREVER, { livenessProbe })] }));
        await lab.until(
          'Pod',
          'one',
          ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1,
        );
        await lab.showEvents('told', 'Unhealthy', 'Killing');
        await lab.showValue('ended so', () => {
          const last = lab.list('Pod')[0]?.status?.containerStatuses?.[0]?.lastState?.terminated;
          return { exitCode: last?.exitCode, reason: last?.reason };
        });
      },
    },
    {
      name: 'pod-readiness',
      run: async (lab) => {
        const flag = '$TURNSOLE_POD_ROOT/flags/ready';
        const script = sh(`trap "exit 0" TERM; sleep 2; touch ${flag}; sleep 3600 & wait`);
        const readinessProbe = { exec: { command: sh(`test -e ${flag}`) }, periodSeconds: 1 };
        const ready = lab.trace('Pod', ({ status }) => {
          const condition = status?.conditions?.find(({ type }) => type === 'Ready');
          return condition === undefined ? undefined : `${condition.status} ${condition.reason ?? ''}`;
        });
        await lab.create(
          pod('one', {
            volumes: [{ name: 'flags', emptyDir: {} }],
            containers: [
              container('main', script, {
                readinessProbe,
                volumeMounts: [{ name: 'flags', mountPath: '/flags' }],
              }),
            ],
          }),
        );
        await lab.until('Pod', 'one', ({ status }) => status?.containerStatuses?.[0]?.ready === true);
        await lab.show('ready', 'Pod');
        await ready.show('not at once');
      },
    },
    {
      name: 'pod-startup-probe',
      run: async (lab) => {
        const startupProbe = fileProbe('/nowhere', { failureThreshold: 60 });
        await lab.create(pod('one', { containers: [container('main', FOREVER, { startupProbe })] }));
        await runs(lab, 'one');
        await lab.show('runs and has not started', 'Pod');
      },
    },
    {
      name: 'pod-startup-probe-fails',
      run: async (lab) => {
        const startupProbe = fileProbe('/nowhere', { failureThreshold: 1 });
        await lab.create(
          pod('one', { containers: [container('main', FOREVER, { startupProbe })], restartPolicy: 'Never' }),
        );
        await ended(lab, 'one');
        await lab.show('failed', 'Pod');
        await lab.showEvents('told', 'Unhealthy', 'Killing');
      },
    },
    {
      name: 'pod-tcp-probe-refused',
      run: async (lab) => {
        const readinessProbe = { tcpSocket: { port: 9 }, periodSeconds: 1 };
        await lab.create(pod('one', { containers: [container('main', FOREVER, { readinessProbe })] }));
        await lab.untilEvent('Unhealthy', 'one');
        await lab.showEvents('told', 'Unhealthy');
      },
    },
    {
      name: 'pod-http-probe',
      run: async (lab) => {
        const server =
          "require('http').createServer((q, r) => { r.statusCode = q.url === '/good' ? 200 : 503; r.end('no') }).listen(8080); process.on('SIGTERM', () => process.exit(0))";
        const readinessProbe = {
          httpGet: { path: '/bad', port: 8080 },
          periodSeconds: 1,
          initialDelaySeconds: 2,
        };
        await lab.create(
          pod('one', { containers: [container('main', ['node', '-e', server], { readinessProbe })] }),
        );
        await lab.untilEvent('Unhealthy', 'one');
        await lab.showEvents('told', 'Unhealthy');
      },
    },
    {
      name: 'pod-readiness-gate',
      run: async (lab) => {
        await lab.create(pod('one', { readinessGates: [{ conditionType: 'example.com/open' }] }));
        await runs(lab, 'one');
        await lab.until('Pod', 'one', ({ status }) => status?.containerStatuses?.[0]?.ready === true);
        await lab.show('shut', 'Pod');
        const conditions = [{ type: 'example.com/open', status: 'True' }];
        await lab.change('Pod', 'one', { status: { conditions } }, 'status', 'strategic');
        await lab.until(
          'Pod',
          'one',
          ({ status }) =>
            status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
        );
        await lab.show('open', 'Pod');
      },
    },
    {
      name: 'pod-deleted-that-does-not-listen',
      // Now and then the signal is there before the shell has heard that it is not to listen: not for every day.
      slow: true,
      run: async (lab) => {
        const spec = {
          command: sh('trap "" TERM; while :; do sleep 1; done'),
          terminationGracePeriodSeconds: 1,
        };
        await lab.create(pod('one', spec, HELD));
        await runs(lab, 'one');
        await lab.remove('Pod', 'one');
        await isOver(lab, 'one');
        await lab.show('killed', 'Pod');
        await release(lab, 'one');
      },
    },
    {
      name: 'pod-pre-stop',
      run: async (lab) => {
        const flag = '$TURNSOLE_POD_ROOT/flags/stop';
        const script = sh(`trap "exit 5" TERM; until test -e ${flag}; do sleep 0.1; done; sleep 3600 & wait`);
        const lifecycle = { preStop: { exec: { command: sh(`touch ${flag}; sleep 0.5`) } } };
        await lab.create(
          pod(
            'one',
            {
              volumes: [{ name: 'flags', emptyDir: {} }],
              containers: [
                container('main', script, {
                  lifecycle,
                  volumeMounts: [{ name: 'flags', mountPath: '/flags' }],
                }),
              ],
              terminationGracePeriodSeconds: 10,
            },
            HELD,
          ),
        );
        await runs(lab, 'one');
        await lab.remove('Pod', 'one');
        await isOver(lab, 'one');
        await lab.show('hook, then signal', 'Pod');
        await release(lab, 'one');
      },
    },
    {
      name: 'pod-pre-stop-fails',
      run: async (lab) => {
        const lifecycle = { preStop: { exec: { command: sh('exit 3') } } };
        await lab.create(pod('one', { containers: [container('main', FOREVER, { lifecycle })] }, HELD));
        await runs(lab, 'one');
        await lab.remove('Pod', 'one');
        await isOver(lab, 'one');
        await lab.show('ended all the same', 'Pod');
        await lab.showEvents('told', 'FailedPreStopHook', 'Killing');
        await release(lab, 'one');
      },
    },
    {
      name: 'pod-deleted-by-force',
      run: async (lab) => {
        await lab.create(pod('one'));
        await runs(lab, 'one');
        const seen = lab.trace('Pod', (_pod, isGone) => (isGone ? 'gone' : undefined));
        await lab.remove('Pod', 'one', { gracePeriodSeconds: 0 });
        await lab.untilGone('Pod', 'one');
        await seen.show('at once');
        await lab.showEvents('told', 'Killing');
      },
    },
    {
      name: 'pod-active-deadline',
      run: async (lab) => {
        // Longer than a slow node takes to start it: a pod that has not begun is failed, and nothing of it is killed.
        await lab.create(pod('one', { activeDeadlineSeconds: 8 }));
        await runs(lab, 'one');
        await lab.until('Pod', 'one', ({ status }) => status?.phase === 'Failed');
        await lab.show('failed', 'Pod');
        await lab.showEvents('told', 'DeadlineExceeded', 'Killing');
      },
    },
    {
      name: 'pod-config-map-missing',
      run: async (lab) => {
        const env = [{ name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } }];
        await lab.create(pod('one', { containers: [container('main', FOREVER, { env })] }));
        await waits(lab, 'one', 'CreateContainerConfigError');
        await lab.show('waits for the config map', 'Pod');
        await lab.showEvents('told', 'Failed');
        await lab.create(configMap('settings', { shape: 'round' }));
        await lab.until(
          'Pod',
          'one',
          ({ status }) =>
            status?.containerStatuses?.[0]?.state?.waiting?.message?.includes('find key') === true,
        );
        await lab.show('waits for the key', 'Pod');
        await lab.change('ConfigMap', 'settings', { data: { colour: 'red' } });
        await runs(lab, 'one');
        await lab.show('runs', 'Pod');
      },
    },
    {
      name: 'pod-secret-missing',
      run: async (lab) => {
        const envFrom = [{ secretRef: { name: 'keys' } }];
        await lab.create(pod('one', { containers: [container('main', FOREVER, { envFrom })] }));
        await waits(lab, 'one', 'CreateContainerConfigError');
        await lab.show('waits', 'Pod');
      },
    },
    {
      name: 'pod-volume-missing',
      run: async (lab) => {
        const volumes = [{ name: 'settings', configMap: { name: 'settings' } }];
        const containers = [
          container('main', FOREVER, { volumeMounts: [{ name: 'settings', mountPath: '/settings' }] }),
        ];
        await lab.create(pod('one', { volumes, containers }));
        await lab.untilEvent('FailedMount', 'one');
        await lab.show('waits', 'Pod');
        await lab.showEvents('told', 'FailedMount');
        await lab.create(configMap('settings', { a: 'b' }));
        await runs(lab, 'one');
        await lab.show('runs', 'Pod');
      },
    },
    {
      name: 'pod-command-missing',
      run: async (lab) => {
        await lab.create(pod('one', { command: ['no-such-program'] }));
        await lab.until('Pod', 'one', ({ status }) => {
          const container = status?.containerStatuses?.[0];
          return (
            (container?.restartCount ?? 0) >= 1 && container?.state?.waiting?.reason === 'CrashLoopBackOff'
          );
        });
        await lab.showValue('cannot be started', () => {
          const container = lab.list('Pod')[0]?.status?.containerStatuses?.[0];
          const last = container?.lastState?.terminated;
          return {
            phase: lab.list('Pod')[0]?.status?.phase,
            waiting: container?.state?.waiting?.reason,
            exitCode: last?.exitCode,
            reason: last?.reason,
            restarts: container?.restartCount,
          };
        });
      },
    },
    {
      name: 'pod-command-missing-never',
      run: async (lab) => {
        await lab.create(pod('one', { command: ['no-such-program'], restartPolicy: 'Never' }));
        await ended(lab, 'one');
        await lab.showValue('failed', () => {
          const { status } = lab.list('Pod')[0] ?? {};
          const { exitCode, reason } = status?.containerStatuses?.[0]?.state?.terminated ?? {};
          return { phase: status?.phase, exitCode, reason };
        });
      },
    },
    {
      name: 'pod-termination-message',
      run: async (lab) => {
        const file = '$TURNSOLE_POD_ROOT/dev/termination-log';
        const containers = [
          container('file', sh(`printf 'all is done' > ${file}`)),
          container('log', sh('echo first; echo last words; exit 1'), {
            terminationMessagePolicy: 'FallbackToLogsOnError',
          }),
          container('log-of-success', sh('echo nobody asks'), {
            terminationMessagePolicy: 'FallbackToLogsOnError',
          }),
          container('both', sh(`echo logged; printf written > ${file}; exit 1`), {
            terminationMessagePolicy: 'FallbackToLogsOnError',
          }),
        ];
        await lab.create(pod('one', { containers, restartPolicy: 'Never' }));
        await ended(lab, 'one');
        await lab.show('messages', 'Pod');
      },
    },
    {
      name: 'pod-environment',
      run: async (lab) => {
        const env = [
          { name: 'A', value: 'a' },
          { name: 'B', value: '$(A)b $$(A) $(UNKNOWN)' },
          { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['tier']" } } },
          { name: 'ACCOUNT', valueFrom: { fieldRef: { fieldPath: 'spec.serviceAccountName' } } },
          { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
          { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'requests.cpu', divisor: '1m' } } },
          { name: 'MAP', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } },
          {
            name: 'OPTIONAL',
            valueFrom: { configMapKeyRef: { name: 'absent', key: 'colour', optional: true } },
          },
        ];
        const script = sh(
          'echo "$A|$B|$NAME|$LABEL|$ACCOUNT|$MEMORY|$CPU|$MAP|$OPTIONAL|$P_shape|$HOSTNAME|$0|$1"; exit 1',
        );
        await lab.create(configMap('settings', { colour: 'red', shape: 'round' }));
        const main = container('main', script, {
          args: ['$(A)', '$(B)'],
          env,
          envFrom: [{ prefix: 'P_', configMapRef: { name: 'settings' } }],
          resources: { limits: { memory: '64Mi' }, requests: { cpu: '10m' } },
          terminationMessagePolicy: 'FallbackToLogsOnError',
        });
        await lab.create(
          pod('one', { containers: [main], restartPolicy: 'Never' }, { labels: { tier: 'front' } }),
        );
        await ended(lab, 'one');
        await lab.show('what it was given', 'Pod');
      },
    },
    {
      name: 'pod-bound-by-hand',
      run: async (lab) => {
        await lab.create(pod('one', { nodeName: lab.node }));
        await runs(lab, 'one');
        await lab.show('runs without having been scheduled', 'Pod');
      },
    },
    {
      name: 'pod-bound-against-its-selector',
      run: async (lab) => {
        await lab.create(pod('one', { nodeName: lab.node, nodeSelector: { nowhere: 'yes' } }));
        await ended(lab, 'one');
        await lab.show('refused', 'Pod');
        await lab.showEvents('told', 'NodeAffinity');
      },
    },
    {
      name: 'pod-bound-too-big',
      run: async (lab) => {
        const containers = [
          { ...container('main', FOREVER), image: IMAGE, resources: { requests: { cpu: '900' } } },
        ];
        await lab.create(pod('one', { nodeName: lab.node, containers }));
        await ended(lab, 'one');
        await lab.showValue('refused', () => {
          const { phase, reason } = lab.list('Pod')[0]?.status ?? {};
          return { phase, reason };
        });
      },
    },
    {
      name: 'pod-ended-and-deleted',
      run: async (lab) => {
        await lab.create(pod('one', { command: sh('exit 0'), restartPolicy: 'Never' }));
        await ended(lab, 'one');
        await lab.remove('Pod', 'one');
        await lab.untilGone('Pod', 'one');
        await lab.show('nothing is left', 'Pod');
        await lab.showEvents('told', 'Killing');
      },
    },
  ],
};
