/** Events, by both of their groups. */
import type { Theme } from '../harness/scenario.ts';
import { apis, core, get, patch, post, put, setup } from '../harness/steps.ts';

export const EVENTS: Theme = {
  theme: 'events',
  scenarios: [
    {
      name: 'event-checks-its-namespace',
      steps: [
        post(core('events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e' },
          involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
        }),
        post(core('events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e' },
          involvedObject: { kind: 'Pod', name: 'p' },
        }),
        post(core('events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e' },
          involvedObject: { kind: 'Node', name: 'n' },
        }),
        post('/api/v1/namespaces/default/events', {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'c-event-of-node' },
          involvedObject: { kind: 'Node', name: 'n' },
        }),
      ],
    },
    {
      name: 'event-series',
      steps: [
        post(core('events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e.1' },
          involvedObject: {
            apiVersion: 'v1',
            kind: 'Pod',
            name: 'p',
            namespace: '{ns}',
            uid: 'u',
            fieldPath: 'spec.containers{c}',
          },
          reason: 'Pulled',
          message: 'pulled',
          type: 'Normal',
          eventTime: '2020-01-02T03:04:05.123456Z',
          reportingComponent: 'example.com/tester',
          reportingInstance: 'tester-1',
          action: 'Pulling',
        }),
        patch('strategic', core('events', 'e.1'), { count: 2, lastTimestamp: '2020-01-02T03:05:05Z' }),
        patch('merge', core('events', 'e.1'), {
          series: { count: 3, lastObservedTime: '2020-01-02T03:05:05.000001Z' },
        }),
      ],
    },
    {
      name: 'event-field-selectors',
      steps: [
        setup(
          post(core('events'), {
            apiVersion: 'v1',
            kind: 'Event',
            metadata: { name: 'a' },
            involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}', uid: 'u1' },
            reason: 'Killing',
            type: 'Normal',
            source: { component: 'kubelet' },
          }),
        ),
        setup(
          post(core('events'), {
            apiVersion: 'v1',
            kind: 'Event',
            metadata: { name: 'b' },
            involvedObject: { kind: 'Deployment', name: 'd', namespace: '{ns}', uid: 'u2' },
            reason: 'Failed',
            type: 'Warning',
          }),
        ),
        get(`${core('events')}?fieldSelector=involvedObject.name%3Dp`),
        get(`${core('events')}?fieldSelector=involvedObject.kind%3DDeployment,involvedObject.uid%3Du2`),
        get(`${core('events')}?fieldSelector=type%3DWarning`),
        get(`${core('events')}?fieldSelector=reason!%3DKilling`),
        get(`${core('events')}?fieldSelector=source%3Dkubelet`),
        get(`${core('events')}?fieldSelector=involvedObject.namespace%3D{ns},involvedObject.apiVersion%3Dv1`),
        get(`${core('events')}?fieldSelector=message%3Dx`),
      ],
    },
    {
      name: 'event-update-creates',
      steps: [
        put(core('events', 'new'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'new' },
          involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
        }),
      ],
    },
    {
      name: 'event-of-the-events-group',
      steps: [
        setup(
          post(core('events'), {
            apiVersion: 'v1',
            kind: 'Event',
            metadata: { name: 'a' },
            involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
            reason: 'Killing',
            type: 'Normal',
            message: 'm',
            source: { component: 'kubelet', host: 'h' },
            count: 2,
          }),
        ),
        get(apis('events.k8s.io/v1', 'events', 'a')),
        get(apis('events.k8s.io/v1', 'events')),
        post(apis('events.k8s.io/v1', 'events'), {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name: 'b' },
          regarding: { kind: 'Pod', name: 'p', namespace: '{ns}' },
          reason: 'R',
          action: 'A',
          type: 'Normal',
          note: 'n',
          eventTime: '2020-01-02T03:04:05.000001Z',
          reportingController: 'example.com/c',
          reportingInstance: 'i',
        }),
        get(core('events', 'b')),
      ],
    },
  ],
};
