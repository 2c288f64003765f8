/** Commands that no scene runs: where else a test runs them, or what they need that no test has. */

/** A file that runs a command, and the words by which it does. */
export interface RunBy {
  readonly file: string;
  /** Stands in that file, as it is. */
  readonly has: string;
}

/** What another page prints as well is run there. */
const SCENES_FILE = 'test/e2e/printed-commands/scenes.ts';

/** Commands of pages, by page and {@link PrintedCommand.name}: text says in plain words what they need that no test has. */
export const ELSEWHERE: Readonly<
  Record<string, Readonly<Record<string, RunBy | readonly RunBy[] | string>>>
> = {
  'README.md': {
    'npm ci && npm start': [
      { file: '.ci/run', has: '\nnpm ci\n' },
      { file: '.ci/run', has: '\nnpm start\n' },
    ],
    'npm pack && npm install --global ./turnsole-0.1.0.tgz': [
      { file: '.ci/run', has: 'npm pack' },
      { file: '.ci/run', has: 'npm install --global' },
    ],
    'npm run build && npm start -- --ui': [
      { file: '.ci/run', has: 'npm pack' },
      { file: 'package.json', has: '"prepack": "node build/main.ts"' },
      { file: 'test/web/ui.test.ts', has: "['run', QUICKSTART, '--ui'" },
    ],
    'npx turnsole init': { file: SCENES_FILE, has: "{ command: 'npx turnsole init'" },
    'npx turnsole run': { file: SCENES_FILE, has: "{ command: 'npx turnsole run'," },
    'npx turnsole run k8s/ --build ./Dockerfile=shop/api:dev --fault pod-delete --target deployment/api': {
      file: 'test/e2e/build-option.test.ts',
      has: "'--build', build, '--fault', 'pod-delete', '--target', 'deployment/api'",
    },
  },
  'CONTRIBUTING.md': {
    'npm ci': { file: '.ci/run', has: '\nnpm ci\n' },
    'npm test': 'the time of the whole suite once more, in itself',
    'npm test -- --all': { file: '.ci/run', has: 'npm test -- --all' },
    'npm test -- --again': { file: '.ci/run', has: '--again' },
    'npm test -- --of-the-user': { file: '.ci/run', has: 'npm test -- --of-the-user' },
    'npm run lint': { file: '.ci/run', has: '\nnpm run lint\n' },
    'npm run typecheck': { file: '.ci/run', has: '\nnpm run typecheck\n' },
    'npm run build:packages': { file: 'test/support/installed-packages.ts', has: 'buildPackages(ROOT' },
    'npm run generate': { file: '.ci/run', has: '\nnpm run generate\n' },
    'npm run bench:run': 'a quiet machine for minutes: it measures',
    'npm run test:workflow':
      'minutes: it compares with recordings of Argo, and ends with a report for those who change the engine',
    'npm run test:truth': 'a quiet machine for an hour: it measures',
    'npm run test:traces': 'sources of the collector from the network',
    'npm run test:cluster': { file: '.ci/run', has: 'npm run test:cluster' },
    '.ci/run': { file: '.github/workflows/ci.yml', has: 'bash .ci/run' },
  },
  'docs/chaos-as-code.md': {
    'npm pack': { file: '.ci/run', has: 'npm pack' },
    'npm install --save-dev ../turnsole/turnsole-0.1.0.tgz': {
      file: '.ci/run',
      has: 'npm install "$packed"/turnsole-*.tgz',
    },
  },
  'docs/control-plane.md': {
    'npx turnsole restore chaos.backup --database postgres://…': {
      file: 'test/attacks/backups.test.ts',
      has: 'restore',
    },
  },
  'docs/embedded-cluster.md': {
    'npx turnsole run k8s/ --build ./Dockerfile=shop/api:dev --fault pod-delete --target deployment/api': {
      file: 'test/e2e/build-option.test.ts',
      has: "'--build', build, '--fault', 'pod-delete', '--target', 'deployment/api'",
    },
    'npx turnsole image load --image-from docker shop/api:dev': {
      file: 'test/e2e/image-command.test.ts',
      has: "['load', '--image-from', 'docker', 'shop/api:dev']",
    },
    'npx turnsole up --isolation full': {
      file: 'test/e2e/rootless.test.ts',
      has: "['up', '--isolation', 'full']",
    },
    'npx turnsole image pull redis:7 registry.example/shop/api:1': {
      file: 'test/e2e/image-command.test.ts',
      has: "['pull', ",
    },
  },
  'docs/install.md': {
    'docker buildx build -f deploy/Dockerfile -t registry.example/turnsole:0.1.0 --push .': {
      file: '.github/workflows/release.yml',
      has: 'file: deploy/Dockerfile',
    },
    'buildah build -f deploy/Dockerfile -t registry.example/turnsole:0.1.0 .':
      'base images from a registry on the network',
    'buildah push registry.example/turnsole:0.1.0': 'a registry of the reader',
    'buildah push registry.example/turnsole:0.1.0 oci-archive:turnsole.tar': {
      file: 'test/cluster/image.sh',
      has: 'oci-archive:',
    },
    "helm install turnsole deploy/helm/turnsole --namespace litmus --create-namespace --set image.repository=registry.example/turnsole --set 'faults={pod-delete}' --set 'faultNamespaces={shop}'":
      { file: 'test/clients/suite/helm.ts', has: "['install', ...release, CHART, '--create-namespace'" },
  },
  'docs/migrate.md': {
    'npx turnsole install --namespace litmus --subscriber --event-tracker --exporter --instance-id "$(kubectl -n litmus get configmap workflow-controller-configmap -o jsonpath=\'{.data.instanceID}\')"':
      'a control plane that the pods of the cluster reach',
    'kubectl apply -f https://…/fault.yaml': 'the address of the LitmusChaos release that the reader has',
  },
  'docs/subscriber.md': {
    'npx turnsole install --namespace litmus --subscriber --instance-id INFRA_ID':
      'a control plane that the pods of the cluster reach',
  },
  'packages/cloud/README.md': {
    'npm install @turnsole/cloud':
      'the package on a registry: it is published with a release, and none was made yet',
  },
  'packages/cluster/README.md': {
    'npm install --save-dev @turnsole/cluster @turnsole/kube':
      'the packages on a registry: they are published with a release, and none was made yet',
  },
  'packages/kube/README.md': {
    'npm install @turnsole/kube':
      'the package on a registry: it is published with a release, and none was made yet',
  },
  'packages/workflows/README.md': {
    'npm install @turnsole/workflows':
      'the package on a registry: it is published with a release, and none was made yet',
  },
};

/** Each folder of the cookbook prints the same, and one test runs them all. */
export const COOKBOOK = {
  pages: /^examples\/cookbook\//,
  command: 'npx turnsole run',
  by: { file: 'test/e2e/cookbook.test.ts', has: "['run', '--no-timeline']" },
} as const;
