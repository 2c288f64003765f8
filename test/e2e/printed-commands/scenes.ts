/** What the commands of the pages are run on: each page's in the order in which it prints them. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { thisPlatform } from '@turnsole/cluster/images/reference/platform';
import { madeLayer, writeLayout } from '@turnsole/cluster/images/testing/made-images';
import { webApp } from '../../support/manifests.ts';
import type { Scene, SceneOptions } from './scene.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const APPLICATION = 'test/e2e/first-verdict/node-draining';

/** Two steps, one after the other. */
const WORKFLOW = `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { generateName: hello- }
spec:
  entrypoint: main
  templates:
    - name: main
      steps: [[{ name: first, template: echo }], [{ name: second, template: echo }]]
    - name: echo
      container: { image: busybox, command: [echo, hello] }
`;

/** An engine of the namespace shop. */
const MY_ENGINE = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: my-engine, namespace: shop }
spec:
  engineState: active
  chaosServiceAccount: pod-delete-sa
  appinfo: { appns: shop, applabel: app=web, appkind: deployment }
  experiments:
    - name: pod-delete
      spec: { components: { env: [{ name: TOTAL_CHAOS_DURATION, value: "2" }, { name: CHAOS_INTERVAL, value: "1" }] } }
`;

/** A component of LitmusChaos that has nothing to do but to be there. */
function idle(name: string): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: litmus }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: busybox, command: [sleep, "3600"] }] }
`;
}

/** Somebody's cluster with the application in the namespace shop, and with more. */
async function shop(
  scene: Scene,
  { up = [], more = [] }: { readonly up?: readonly string[]; readonly more?: readonly string[] } = {},
): Promise<void> {
  await scene.cluster(...up);
  const web = webApp(2).replaceAll('metadata: { name: web', 'metadata: { namespace: shop, name: web');
  const names = ['shop', 'litmus'].map(
    (name) => `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`,
  );
  scene.write('site.yaml', [...names, web, ...more].join('\n---\n'));
  await scene.shell('kubectl apply -f site.yaml');
}

/** What an exporter says when it can be asked. */
const SERVING = /exporter started/;

/** The application of somebody, as the pages have it. */
function application(scene: Scene): void {
  scene.copy(APPLICATION, '.');
}

/** Definitions as Prometheus' operator brings them. */
function definition(kind: string, plural: string): string {
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.monitoring.coreos.com }
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: { kind: ${kind}, plural: ${plural} }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }]
`;
}

const POLICY = `
apiVersion: eventtracker.litmuschaos.io/v1
kind: EventTrackerPolicy
metadata: { name: new-image, namespace: litmus }
spec: { condition_type: and, conditions: [{ key: "spec.template.spec.containers[0].image", operator: Change }] }
`;

export const SCENES: readonly SceneOptions[] = [
  {
    page: 'README.md',
    name: 'use it',
    programs: ['kubectl'],
    prepare: async (scene) => {
      scene.copyQuickstart('examples/quickstart');
      await scene.cluster();
    },
    steps: [
      { command: 'cp -r examples/quickstart chaos' },
      { command: 'npx turnsole run chaos/', prints: /default\/quickstart +pod-delete +Pass/ },
      { command: 'npx turnsole run chaos/ --artifacts out', prints: /quickstart +pod-delete +Pass/ },
      {
        command: 'npx turnsole run chaos/ --kubeconfig ~/.kube/config',
        before: (scene) => scene.shell('test -s out/junit.xml'),
        prints: /quickstart +pod-delete +Pass/,
      },
      { command: 'npx turnsole plan chaos/', prints: /nothing speaks against it; nothing was injected/ },
      { command: 'npx turnsole up --detach --kubeconfig kc' },
      { command: 'KUBECONFIG=kc kubectl get nodes', prints: /turnsole-1 +Ready/ },
      { command: 'npx turnsole run chaos/ --kubeconfig kc', prints: /quickstart +pod-delete +Pass/ },
      { command: 'npx turnsole logs quickstart --kubeconfig kc', prints: /pod-delete/ },
      {
        command: 'npx turnsole timeline quickstart --kubeconfig kc',
        prints: /pod-delete has ended: Pass/,
      },
      { command: 'npx turnsole timeline quickstart --kubeconfig kc -o html -f run.html' },
      {
        command: 'npx turnsole down',
        before: (scene) => scene.shell('grep -q quickstart run.html'),
      },
    ],
  },
  {
    page: 'docs/first-steps.md',
    name: 'two commands, one, and more',
    prepare: application,
    steps: [
      { command: 'npx turnsole init', prints: /wrote|turnsole\.yaml/ },
      { command: 'npx turnsole run', prints: /api-pod-delete +pod-delete +Pass/ },
      {
        command:
          'npx turnsole run --fault pod-delete --target deployment/api --probe http://api:8080/ k8s/ --image my/api="node server.js"',
        before: (scene) => {
          scene.write(
            'k8s/app.yaml',
            scene
              .read('k8s/app.yaml')
              .replace('registry.example/shop/api:1.2', 'my/api')
              .replace('port: 80,', 'port: 8080,'),
          );
        },
        prints: /pod-delete +Pass/,
      },
      { command: 'npx turnsole doctor', prints: /node/i },
      { command: 'npx turnsole explain httpProbe', prints: /url/ },
      { command: 'npx turnsole new probe loadProbe', prints: /loadProbe\/inputs/ },
      {
        command: 'npx turnsole new experiment --fault pod-cpu-hog-exec --target deployment/api',
        prints: /chaos\//,
      },
      {
        command: 'npx turnsole new schedule chaos/api-pod-delete.yaml --every 6h',
        prints: /kind: ChaosSchedule/,
      },
    ],
  },
  {
    page: 'docs/embedded-cluster.md',
    name: 'use it',
    programs: ['kubectl'],
    prepare: (scene) => scene.copyQuickstart('examples/quickstart'),
    steps: [
      { command: 'npx turnsole up --detach --kubeconfig kc' },
      { command: 'export KUBECONFIG=$PWD/kc' },
      { command: 'kubectl get nodes', prints: /turnsole-1 +Ready/ },
      { command: 'kubectl apply -f examples/quickstart/1-app.yaml', prints: /deployment.apps\/web created/ },
      { command: 'kubectl rollout status deployment/web', prints: /successfully rolled out/ },
      { command: 'kubectl logs -f deployment/web', until: /\S/ },
      {
        command: 'npx turnsole run examples/quickstart --kubeconfig kc',
        prints: /quickstart +pod-delete +Pass/,
      },
      { command: 'npx turnsole down' },
    ],
  },
  {
    page: 'docs/embedded-cluster.md',
    name: 'keep it',
    programs: ['kubectl'],
    steps: [
      { command: 'npx turnsole up --detach --data ./cluster --kubeconfig kc' },
      {
        command: 'npx turnsole down',
        before: (scene) => scene.shell('kubectl --kubeconfig kc create configmap kept'),
      },
      { command: 'npx turnsole up --detach --data ./cluster --kubeconfig kc' },
    ],
  },
  {
    page: 'docs/embedded-cluster.md',
    name: 'nodes',
    steps: [
      { command: 'npx turnsole up --detach --nodes 3 --kubeconfig kc' },
      { command: 'export KUBECONFIG=$PWD/kc' },
      { command: 'npx turnsole node stop turnsole-2', prints: /turnsole-2/ },
      { command: 'npx turnsole node stop turnsole-2 --power-off', prints: /turnsole-2/ },
      { command: 'npx turnsole node start turnsole-2', prints: /turnsole-2/ },
    ],
  },
  {
    page: 'docs/embedded-cluster.md',
    name: 'autoscaling',
    programs: ['kubectl'],
    prepare: async (scene) => {
      await scene.cluster();
      await scene.shell('kubectl create deployment web --image turnsole/sample-web');
    },
    steps: [
      { command: 'kubectl autoscale deployment web --cpu-percent=50 --min=1 --max=5', prints: /autoscaled/ },
      { command: 'kubectl get hpa -w', until: /Deployment\/web/ },
    ],
  },
  {
    page: 'docs/embedded-cluster.md',
    name: 'images',
    programs: ['kubectl'],
    prepare: async (scene) => {
      application(scene);
      scene.write('worker.sh', '#!/bin/sh\nexec sleep 3600\n');
      const layer = await madeLayer([{ name: 'app', content: 'app' }]);
      const { architecture } = thisPlatform();
      const names = ['redis:7', 'shop/api:dev'];
      writeLayout(
        join(scene.folder, 'layout'),
        names.map((name) => ({ name, layers: [layer], architecture })),
      );
      await scene.shell('chmod +x worker.sh && tar -C layout -cf app.tar .');
    },
    steps: [
      {
        command:
          'npx turnsole up --detach --kubeconfig kc --image my/api:dev="node server.js" --image my/worker=./worker.sh',
      },
      {
        command: 'kubectl create deployment api --image my/api:dev --replicas 2',
        before: (scene) => scene.shell('cp kc .home/.kube/config'),
        prints: /deployment.apps\/api created/,
      },
      {
        command: 'npx turnsole image load app.tar',
        before: (scene) => scene.shell('kubectl rollout status deployment/api --timeout 60s'),
        prints: /redis:7 is there/,
      },
      {
        command: 'npx turnsole image list',
        prints: /redis:7 +image[\s\S]*busybox +stand-in|busybox +stand-in[\s\S]*redis:7 +image/,
      },
      { command: 'npx turnsole image remove redis:7', prints: /removed docker\.io\/library\/redis:7/ },
      { command: 'npx turnsole image prune --max-size 5Gi' },
    ],
  },
  {
    page: 'docs/event-tracker.md',
    name: 'installing, looking at it',
    programs: ['kubectl'],
    prepare: (scene) => shop(scene, { more: [idle('event-tracker')] }),
    steps: [
      { command: 'kubectl -n litmus scale deployment event-tracker --replicas 0', prints: /scaled/ },
      {
        command: 'npx turnsole install --namespace litmus --event-tracker',
        prints: /turnsole-event-tracker ready/,
      },
      {
        command: 'kubectl get eventtrackerpolicies -o wide',
        before: async (scene) => {
          scene.write('policy.yaml', POLICY);
          await scene.shell(
            'kubectl apply -f policy.yaml && kubectl config set-context --current --namespace litmus',
          );
        },
        prints: /new-image/,
      },
      {
        command:
          'kubectl get eventtrackerpolicy new-image -o jsonpath=\'{range .status.triggers[*]}{.time} {.resource} {.name} {.state} {.message}{"\\n"}{end}\'',
      },
    ],
  },
  {
    page: 'docs/exporter.md',
    name: 'installing, and outside of an installation',
    programs: ['kubectl'],
    ports: [9200],
    prepare: (scene) =>
      shop(scene, {
        more: [
          definition('ServiceMonitor', 'servicemonitors'),
          definition('PrometheusRule', 'prometheusrules'),
        ],
      }),
    steps: [
      { command: 'npx turnsole install --exporter', prints: /turnsole-exporter ready/ },
      {
        command: 'npx turnsole install --exporter --service-monitor',
        prints: /ServiceMonitor litmus\/turnsole-exporter created/,
      },
      {
        command: 'npx turnsole exporter -kubeconfig ~/.kube/config -metrics-bind-address 127.0.0.1:9200',
        until: SERVING,
      },
      {
        command: 'WATCH_NAMESPACE=shop npx turnsole exporter -metrics-bind-address 127.0.0.1:9200',
        until: SERVING,
      },
      {
        command: 'CHAOSENGINE=web npx turnsole exporter -metrics-bind-address 127.0.0.1:9200',
        until: SERVING,
      },
    ],
  },
  {
    page: 'docs/install.md',
    name: 'quick start',
    programs: ['kubectl'],
    prepare: async (scene) => {
      await shop(scene);
      scene.write('engine.yaml', MY_ENGINE);
    },
    steps: [
      {
        command:
          'npx turnsole install --image registry.example/turnsole:0.1.0 --faults pod-delete --fault-namespace shop',
        prints: /turnsole-operator ready/,
      },
      {
        command: 'kubectl apply -f engine.yaml',
        before: (scene) => scene.shell('kubectl -n shop rollout status deployment/web'),
      },
      { command: 'npx turnsole timeline my-engine -n shop --kubeconfig ~/.kube/config', prints: /my-engine/ },
      {
        command: 'npx turnsole logs my-engine --follow -n shop --kubeconfig ~/.kube/config',
        prints: /pod-delete/,
      },
      { command: 'npx turnsole uninstall --yes', prints: /turnsole-operator/ },
      {
        command:
          'npx turnsole install --faults all --fault-namespace shop --output yaml > turnsole-install.yaml',
      },
      {
        command: 'kubectl apply --server-side -f turnsole-install.yaml',
        before: (scene) => scene.shell('kubectl get namespace litmus || kubectl create namespace litmus'),
        prints: /turnsole-operator serverside-applied/,
      },
    ],
  },
  {
    page: 'docs/migrate.md',
    name: 'there, and back again',
    programs: ['kubectl'],
    prepare: async (scene) => {
      const more = [
        'chaos-operator-ce',
        'workflow-controller',
        'subscriber',
        'event-tracker',
        'chaos-exporter',
      ];
      await shop(scene, { more: more.map(idle) });
    },
    steps: [
      { command: 'kubectl get chaosengines -A' },
      { command: 'kubectl -n litmus scale deployment chaos-operator-ce --replicas 0', prints: /scaled/ },
      {
        command:
          'npx turnsole install --image registry.example/turnsole:0.1.0 --namespace turnsole --faults pod-delete,container-kill --fault-namespace shop',
        prints: /turnsole-operator ready/,
      },
      {
        command:
          'kubectl -n litmus scale deployment workflow-controller subscriber event-tracker chaos-exporter --replicas 0',
        prints: /scaled/,
      },
      { command: 'npx turnsole uninstall --namespace turnsole --keep-crds' },
      { command: 'kubectl -n litmus scale deployment chaos-operator-ce --replicas 1', prints: /scaled/ },
    ],
  },
  {
    page: 'docs/subscriber.md',
    name: 'installing',
    programs: ['kubectl'],
    prepare: (scene) => shop(scene, { more: [idle('subscriber')] }),
    steps: [{ command: 'kubectl -n litmus scale deployment subscriber --replicas 0', prints: /scaled/ }],
  },
  {
    page: 'docs/control-plane.md',
    name: 'a server, a cluster, a run, a backup',
    programs: ['kubectl', 'curl', 'jq'],
    ports: [9002],
    prepare: (scene) => scene.copyQuickstart('quickstart'),
    steps: [
      { command: 'npx turnsole server --data ./chaos', beside: /http:\/\/127\.0\.0\.1:9002/ },
      { command: 'npx turnsole up --detach --kubeconfig kc' },
      { command: 'npx turnsole connect --local', prints: /connected/ },
      {
        command: 'npx turnsole install --faults all --fault-namespace litmus --kubeconfig kc',
        prints: /turnsole-operator ready/,
      },
      {
        command: 'npx turnsole remote experiment save chaos.yaml --infra local',
        before: async (scene) => {
          const engine = scene.read('quickstart/3-engine.yaml');
          scene.write('chaos.yaml', engine.replace('pod-delete-sa', 'litmus-admin'));
          await scene.shell('kubectl --kubeconfig kc apply -f quickstart/1-app.yaml');
        },
        prints: /saved/,
      },
      {
        command: 'npx turnsole remote experiment run NAME --wait',
        words: () => ({ NAME: 'quickstart' }),
        prints: /Passed/,
      },
      { command: 'export TOKEN=$(npx turnsole remote token create ci --days 90)' },
      {
        command: "export PROJECT=$(npx turnsole remote project list -o json | jq -r '.[0].projectID')",
      },
      {
        command:
          'jq -n --arg p "$PROJECT" \'{ query: "query ($p: ID!) { listExperiment(projectID: $p, request: {}) { experiments { experimentID name } } }", variables: { $p } }\' > list.json',
      },
      {
        command: 'curl -sS --json @list.json -H "Authorization: Bearer $TOKEN" http://127.0.0.1:9002/query',
        prints: /"name":"quickstart"/,
      },
      {
        command:
          'jq -n --arg p "$PROJECT" \'{ query: "subscription ($p: ID!) { watchProject(projectID: $p) { cursor changes { kind id } } }", variables: { $p } }\' > watch.json',
      },
      {
        command: 'curl -sS --json @watch.json -H "Authorization: Bearer $TOKEN" http://127.0.0.1:9002/query',
        prints: /"watchProject":\{"cursor":"\d+"/,
      },
      { command: 'npx turnsole backup --data ./chaos --file chaos.backup' },
    ],
  },
  {
    page: 'docs/traces.md',
    name: 'a collector',
    prepare: (scene) => scene.copyQuickstart('chaos'),
    steps: [
      // Nothing listens there: traces are lost, and the verdict is not.
      {
        command: 'OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4317 npx turnsole run chaos/',
        prints: /quickstart +pod-delete +Pass/,
      },
    ],
  },
  {
    page: 'docs/workflows.md',
    name: 'use it',
    programs: ['kubectl'],
    prepare: (scene) => scene.write('workflow.yaml', WORKFLOW),
    steps: [
      { command: 'npx turnsole up --detach --kubeconfig kc' },
      { command: 'export KUBECONFIG=$PWD/kc' },
      { command: 'kubectl create -f workflow.yaml', prints: /created/ },
      { command: 'kubectl get workflows -w', until: /Succeeded/ },
      {
        command: 'npx turnsole workflow get NAME',
        words: (scene) => ({ NAME: /workflow\.argoproj\.io\/(\S+) created/.exec(scene.printed)?.[1] ?? '' }),
        prints: /Succeeded/,
      },
    ],
  },
  {
    page: 'docs/writing-a-fault.md',
    name: 'a fault of one’s own, without a checkout',
    prepare: ownFault,
    steps: [
      {
        command: 'npx turnsole explain pod-mark --faults-from faults',
        prints: /MARK: letters; default chaos/,
      },
      {
        command:
          'npx turnsole plan --faults-from faults --fault pod-mark --target deployment/web --no-probe app.yaml',
        prints: /pod-mark/,
      },
      {
        command:
          'npx turnsole run --faults-from faults --fault pod-mark --target deployment/web --no-probe --set TOTAL_CHAOS_DURATION=2 app.yaml',
        prints: /pod-mark reverted on pod [\s\S]*pod-mark +Pass/,
      },
      {
        command:
          'npx turnsole run --faults-from @shop/faults --fault pod-mark --target deployment/web --no-probe --set TOTAL_CHAOS_DURATION=2 app.yaml',
        before: installFaults,
        prints: /pod-mark reverted on pod [\s\S]*pod-mark +Pass/,
      },
      { command: 'npx turnsole faults show pod-mark', prints: /MARK: letters; default chaos/ },
    ],
  },
  {
    page: 'docs/writing-a-fault.md',
    name: 'a fault of one’s own, on a cluster',
    programs: ['kubectl'],
    prepare: async (scene) => {
      ownFault(scene);
      // The pods of its images have the variable, as those of the image of the page.
      await shop(scene, { up: ['--faults-from', 'faults'] });
      await scene.shell('kubectl -n shop rollout status deployment/web');
    },
    steps: [
      {
        command:
          'npx turnsole install --image registry.example/turnsole:0.1.0-shop --faults pod-mark --faults-from faults --fault-namespace shop',
        prints: /turnsole-operator ready/,
      },
      {
        command:
          'npx turnsole run --faults-from faults --fault pod-mark --target deployment/web --no-probe --set TOTAL_CHAOS_DURATION=2 --kubeconfig ~/.kube/config -n shop',
        prints: /pod-mark reverted on pod [\s\S]*pod-mark +Pass/,
      },
    ],
  },
  {
    page: 'docs/writing-a-fault.md',
    name: 'a fault of one’s own, in a checkout',
    prepare: checkout,
    steps: [
      {
        command: 'npx turnsole faults new pod-freeze --targets pods',
        prints: /src\/faults\/pod\/pod-freeze\.ts/,
      },
      {
        command: 'npx turnsole faults new pod-cut-off --targets containers',
        prints: /src\/faults\/pod\/pod-cut-off\.ts/,
      },
      { command: 'npx biome check --write src/faults' },
      { command: 'npx node --test src/faults/pod/pod-freeze.test.ts', prints: /fail 0/ },
    ],
  },
];

/** The fault of the page, and an application. */
function ownFault(scene: Scene): void {
  scene.write('faults/pod-mark.mjs', faultOfThePage());
  scene.copy('examples/quickstart/1-app.yaml', 'app.yaml');
}

/** The same as a package that a project has installed, and names in turnsole.yaml. */
async function installFaults(scene: Scene): Promise<void> {
  scene.write('package.json', '{ "private": true }');
  scene.write('packed/package.json', '{ "name": "@shop/faults", "version": "1.0.0", "type": "module" }');
  scene.write('packed/faults/pod-mark.mjs', faultOfThePage());
  scene.write('turnsole.yaml', 'faults: ["@shop/faults"]');
  await scene.shell('npm pack ./packed && npm install --no-fund --no-audit ./shop-faults-1.0.0.tgz');
}

function faultOfThePage(): string {
  const page = readFileSync(join(ROOT, 'docs/writing-a-fault.md'), 'utf8');
  return /```js\n(.*?)```/s.exec(page)?.[1] ?? '';
}

/** A checkout in which only the faults are its own. */
function checkout(scene: Scene): void {
  mkdirSync(join(scene.folder, 'src'));
  for (const folder of readdirSync(join(ROOT, 'src')).filter((name) => name !== 'faults'))
    symlinkSync(join(ROOT, 'src', folder), join(scene.folder, 'src', folder));
  for (const name of ['node_modules', 'bin', 'packages', 'build', 'test'])
    symlinkSync(join(ROOT, name), join(scene.folder, name));
  for (const name of ['package.json', 'biome.json', 'tsconfig.json', '.gitignore'])
    cpSync(join(ROOT, name), join(scene.folder, name));
  scene.copy('src/faults', 'src/faults');
}
