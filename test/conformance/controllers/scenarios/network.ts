import { container, FOREVER, fileProbe, pod, service } from '../builders.ts';
import type { Lab, Selection } from '../harness/lab.ts';
import type { ControllerTheme } from '../harness/scenario.ts';

const WEB = { labels: { app: 'web' } };
const NEVER_READY = { containers: [container('main', FOREVER, { readinessProbe: fileProbe('/nowhere') })] };

async function running(lab: Lab, count: number): Promise<void> {
  await lab.untilAll(
    'Pod',
    (all) => all.filter(({ status }) => status?.phase === 'Running').length === count,
  );
}

async function addresses(lab: Lab, count: number): Promise<void> {
  await lab.untilAll('Endpoints', (all) => {
    const sets = all.flatMap(({ subsets = [] }) => subsets);
    return (
      sets.flatMap(({ addresses = [], notReadyAddresses = [] }) => [...addresses, ...notReadyAddresses])
        .length === count
    );
  });
}

/** 1.20 makes an empty slice for IPv6 beside that of a headless service, also where there is no IPv6. */
const SLICES: Selection = {
  kind: 'EndpointSlice',
  where: ({ addressType }) => addressType === 'IPv4',
};

export const network: ControllerTheme = {
  theme: 'network',
  scenarios: [
    {
      name: 'endpoints-ready-and-not',
      run: async (lab) => {
        await lab.create(service('web'), pod('good', {}, WEB), pod('bad', NEVER_READY, WEB));
        await running(lab, 2);
        await addresses(lab, 2);
        await lab.show('one of each', 'Endpoints', 'EndpointSlice');
      },
    },
    {
      name: 'endpoints-publish-not-ready',
      run: async (lab) => {
        await lab.create(service('web', { publishNotReadyAddresses: true }), pod('bad', NEVER_READY, WEB));
        await running(lab, 1);
        await addresses(lab, 1);
        await lab.show('as if ready', 'Endpoints', 'EndpointSlice');
      },
    },
    {
      name: 'endpoints-named-ports',
      run: async (lab) => {
        const ports = [
          { name: 'http', port: 80, targetPort: 'web' },
          { name: 'admin', port: 81, targetPort: 9090 },
        ];
        const named = {
          containers: [container('main', FOREVER, { ports: [{ name: 'web', containerPort: 8080 }] })],
        };
        await lab.create(service('web', { ports }), pod('named', named, WEB), pod('nameless', {}, WEB));
        await running(lab, 2);
        await addresses(lab, 3);
        await lab.show('ports by name', 'Endpoints', 'EndpointSlice');
      },
    },
    {
      name: 'endpoints-headless',
      run: async (lab) => {
        const ports = { clusterIP: 'None', ports: [{ name: 'db', port: 5432 }] };
        await lab.create(
          service('web', ports),
          pod('one', { hostname: 'first', subdomain: 'web' }, WEB),
          pod('two', { hostname: 'other' }, WEB),
        );
        await running(lab, 2);
        await addresses(lab, 2);
        await lab.show('names of hosts', 'Service', 'Endpoints', SLICES);
      },
    },
    {
      name: 'endpoints-headless-without-ports',
      run: async (lab) => {
        await lab.create(service('web', { clusterIP: 'None', ports: null }), pod('one', {}, WEB));
        await running(lab, 1);
        await addresses(lab, 1);
        await lab.show('addresses', 'Endpoints', SLICES);
      },
    },
    {
      name: 'endpoints-selector-changes',
      run: async (lab) => {
        await lab.create(service('web'), pod('one', {}, WEB), pod('two', {}, { labels: { app: 'other' } }));
        await running(lab, 2);
        await addresses(lab, 1);
        await lab.change('Service', 'web', { spec: { selector: { app: 'other' }, ports: [{ port: 81 }] } });
        await lab.until(
          'Endpoints',
          'web',
          ({ subsets }) => subsets?.[0]?.addresses?.[0]?.targetRef?.name === 'two',
        );
        await lab.show('the other one', 'Endpoints', 'EndpointSlice');
      },
    },
    {
      name: 'endpoints-pod-goes',
      run: async (lab) => {
        await lab.create(service('web'), pod('one', {}, WEB));
        await running(lab, 1);
        await addresses(lab, 1);
        await lab.remove('Pod', 'one');
        await lab.untilGone('Pod', 'one');
        await lab.show('nobody', 'Endpoints', 'EndpointSlice');
      },
    },
    {
      name: 'endpoints-service-goes',
      run: async (lab) => {
        await lab.create(service('web'), pod('one', {}, WEB));
        await running(lab, 1);
        await addresses(lab, 1);
        await lab.remove('Service', 'web');
        await lab.untilGone('Endpoints', 'web');
        await lab.untilAll('EndpointSlice', (all) => all.length === 0);
        await lab.show('nothing is left', 'Endpoints', 'EndpointSlice');
      },
    },
    {
      name: 'endpoints-by-hand',
      run: async (lab) => {
        await lab.create(service('web', { selector: null }), {
          kind: 'Endpoints',
          metadata: { name: 'web' },
          subsets: [
            {
              addresses: [{ ip: '192.0.2.7' }, { ip: '192.0.2.8', hostname: 'eight' }],
              ports: [{ port: 80 }],
            },
          ],
        });
        await lab.untilAll('EndpointSlice', (all) => all.length === 1);
        await lab.show('mirrored', 'EndpointSlice');
        await lab.change('Endpoints', 'web', {
          subsets: [{ addresses: [{ ip: '192.0.2.9' }], ports: [{ port: 81 }] }],
        });
        await lab.untilAll('EndpointSlice', (all) => all[0]?.endpoints?.[0]?.addresses[0] === '192.0.2.9');
        await lab.show('and kept so', 'EndpointSlice');
        await lab.remove('Endpoints', 'web');
        await lab.untilAll('EndpointSlice', (all) => all.length === 0);
      },
    },
  ],
};
