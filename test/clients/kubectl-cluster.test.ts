import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ClientCluster, Kubectl, kubectlMissing, PATIENT, startClientCluster } from './harness.ts';
import { sleeper, WIDGET_DEFINITION } from './manifests.ts';

describe('kubectl: nodes, rights, documentation', { skip: kubectlMissing, timeout: 600_000 }, () => {
  let cluster: ClientCluster;
  let kubectl: Kubectl;

  before(async () => {
    cluster = await startClientCluster(2);
    kubectl = new Kubectl(cluster, 'default');
  });
  after(() => cluster.close());

  it('cordons, drains past daemon sets, respects budgets', async () => {
    const shop = new Kubectl(cluster, await cluster.namespace());
    const daemon = sleeper('agent', 0)
      .replace('kind: Deployment', 'kind: DaemonSet')
      .replace('  replicas: 0\n', '');
    await shop.ok('apply -f -', [], { input: [sleeper('web', 2), daemon].join('---\n') });
    await shop.ok('create poddisruptionbudget web --selector=app=web --min-available=2');
    await shop.ok(`rollout status deployment/web ${PATIENT}`);
    await shop.ok(`rollout status daemonset/agent ${PATIENT}`);
    await shop.ok(`wait poddisruptionbudget/web --for=jsonpath={.status.currentHealthy}=2 ${PATIENT}`);

    const node = 'turnsole-2';
    assert.match(await shop.ok(`cordon ${node}`), /cordoned/);
    assert.match(await shop.ok(`get node ${node}`), /Ready,SchedulingDisabled/);
    // Where the pods are is the scheduler's choice: with one node closed, all come to the other.
    await shop.ok('rollout restart deployment/web');
    await shop.ok(`rollout status deployment/web ${PATIENT}`);
    await shop.ok(`uncordon ${node}`);
    const other = 'turnsole-1';
    assert.match(await shop.fails(`drain ${other}`), /cannot delete DaemonSet-managed Pods/);
    const blocked = await shop.run(`drain ${other} --ignore-daemonsets --timeout=5s`);
    assert.notEqual(blocked.code, 0);
    assert.match(blocked.stderr, /Cannot evict pod as it would violate the pod's disruption budget/);
    await shop.ok('patch poddisruptionbudget web --type=merge -p', ['{"spec":{"minAvailable":0}}']);
    await shop.ok(`wait poddisruptionbudget/web --for=jsonpath={.status.disruptionsAllowed}=2 ${PATIENT}`);
    assert.match(await shop.ok(`drain ${other} --ignore-daemonsets ${PATIENT}`), /turnsole-1 drained/);
    const nodes = await shop.ok('get pods -l app=web -o', ['jsonpath={.items[*].spec.nodeName}']);
    assert.equal(nodes, 'turnsole-2 turnsole-2');
    await shop.ok(`uncordon ${other}`);
  });

  it('reaches services, pods and nodes by their proxies', async () => {
    const shop = new Kubectl(cluster, await cluster.namespace());
    const serve = "http.createServer((q,r)=>r.end('hello '+q.url)).listen(8123)";
    await shop.ok('run web --image=node --labels=app=web --port=8123 --command -- node -e', [serve]);
    await shop.ok('create service clusterip web --tcp=9000:8123');
    await shop.ok(`wait pod/web --for=condition=Ready ${PATIENT}`);
    const slice =
      'wait endpointslice -l kubernetes.io/service-name=web --for=jsonpath={.endpoints[0].addresses[0]}';
    await shop.ok(`${slice} ${PATIENT}`);
    await shop.ok(`wait endpoints/web --for=jsonpath={.subsets[0].addresses[0].ip} ${PATIENT}`);
    const raw = `get --raw /api/v1/namespaces/${shop.namespace}`;
    assert.equal(await shop.ok(`${raw}/services/web:9000/proxy/a?b=c`), 'hello /a?b=c');
    assert.equal(await shop.ok(`${raw}/services/http:web:9000-8123/proxy/`), 'hello /');
    // The pod runs, and listens a moment later: the service has answered.
    assert.equal(await shop.ok(`${raw}/pods/web/proxy/x`), 'hello /x');
    assert.equal(await shop.ok('get --raw /api/v1/nodes/turnsole-1/proxy/healthz'), 'ok');
  });

  it('debugs a pod by a container beside its own', async (t) => {
    const shop = new Kubectl(cluster, await cluster.namespace());
    await shop.ok('run web --image=busybox --command -- sleep 1000');
    await shop.ok(`wait pod/web --for=condition=Ready ${PATIENT}`);
    const debug = 'debug web --image=busybox --container';
    // What comes on standard input is a program for the shell.
    const said = await shop.ok(`${debug} one -i -- sh`, [], { input: 'echo hello; exit 3\n' });
    assert.match(said, /hello/);
    await shop.ok(
      'wait pod/web --for=jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.exitCode}=3',
    );
    assert.equal(await shop.ok('logs web -c one'), 'hello\n');
    await shop.ok(`${debug} two --target web -- sleep 900`);
    await shop.ok(
      `wait pod/web --for=jsonpath={.status.ephemeralContainerStatuses[1].state.running} ${PATIENT}`,
    );
    assert.equal(await shop.ok('exec web -c two -- echo inside'), 'inside\n');
    assert.equal(await shop.get('pod/web', '.status.phase'), 'Running');
    if (process.getuid?.() === 0) {
      assert.match(
        await shop.ok('exec web -c two -- sh -c', ['cat /proc/[0-9]*/cmdline | tr "\\0" " "']),
        /sleep 1000/,
      );
    } else t.diagnostic('processes are shared by isolated pods only');
    await shop.ok('delete pod web --now');
  });

  it('taints, labels and annotates nodes', async () => {
    await kubectl.ok('taint nodes turnsole-2 role=db:NoSchedule');
    assert.match(await kubectl.fails('taint nodes turnsole-2 role=web:NoSchedule'), /--overwrite is false/);
    assert.match(await kubectl.ok('describe node turnsole-2'), /Taints:\s+role=db:NoSchedule/);
    await kubectl.ok('taint nodes turnsole-2 role:NoSchedule-');
    await kubectl.ok('label node turnsole-2 disk=ssd');
    assert.match(await kubectl.fails('label node turnsole-2 disk=hdd'), /already has a value/);
    await kubectl.ok('label node turnsole-2 disk=hdd --overwrite');
    assert.match(await kubectl.ok('get nodes -l disk=hdd -L disk --no-headers'), /^turnsole-2\s.*hdd\n$/);
    await kubectl.ok('label node turnsole-2 disk-');
    await kubectl.ok('annotate node turnsole-2 note=x');
    assert.equal(await kubectl.get('node/turnsole-2', '.metadata.annotations.note'), 'x');
  });

  it('says and reconciles who may do what', async () => {
    assert.match(await kubectl.ok('auth can-i --list'), /\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/);
    await kubectl.ok('create serviceaccount eve');
    await kubectl.ok('create role pods --verb=get --resource=pods');
    await kubectl.ok('create rolebinding eve --role=pods --serviceaccount=default:eve');
    const eve = '--as=system:serviceaccount:default:eve';
    assert.equal(await kubectl.ok(`auth can-i get pods ${eve}`), 'yes\n');
    const { code, stdout } = await kubectl.run(`auth can-i delete pods ${eve}`);
    assert.deepEqual([code, stdout], [1, 'no\n']);
    assert.match(await kubectl.ok(`auth can-i --list ${eve}`), /^pods\s+\[\]\s+\[\]\s+\[get\]$/m);
    assert.match(await kubectl.ok('auth whoami'), /Groups\s+\[system:masters system:authenticated\]/);

    const role = (verb: string): string =>
      `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: { name: both, namespace: default }\n` +
      `rules: [{ apiGroups: [''], resources: [pods], verbs: [${verb}] }]\n`;
    const reconcile = 'auth reconcile -f -';
    for (const verb of ['get', 'list']) await kubectl.ok(reconcile, [], { input: role(verb) });
    assert.equal(await kubectl.get('role/both', '.rules[*].verbs'), '["get"] ["list"]');
    await kubectl.ok(`${reconcile} --remove-extra-permissions`, [], { input: role('list') });
    assert.equal(await kubectl.get('role/both', '.rules[*].verbs'), '["list"]');
  });

  it('explains kinds, its own and others', async () => {
    await kubectl.ok('apply -f -', [], { input: WIDGET_DEFINITION });
    assert.match(await kubectl.ok('explain pods.spec.containers'), /livenessProbe\s+<Probe>/);
    const recursive = await kubectl.ok('explain deployment --recursive');
    assert.match(recursive, /^ {4}template\s+<PodTemplateSpec> -required-$/m);
    assert.match(recursive, /^ {12}containerPort\s+<integer> -required-$/m);
    assert.match(
      await kubectl.ok('explain widget.spec.size'),
      /FIELD: size <integer>\s+DESCRIPTION:\s+How large it is/,
    );
    assert.match(await kubectl.ok('explain widget.spec --recursive'), /color\s+<string>\s+enum: red, green/);
    const old = await kubectl.ok('explain widget.spec --output=plaintext-openapiv2');
    assert.match(old, /size\s+<integer> -required-\s+How large it is/);
    assert.match(await kubectl.fails('explain pods.spec.nothing'), /field "nothing" does not exist/);
  });

  it('lists what is served', async () => {
    const resources = await kubectl.ok('api-resources');
    assert.match(resources, /^deployments\s+deploy\s+apps\/v1\s+true\s+Deployment$/m);
    assert.match(resources, /^widgets\s+wg\s+shop\.example\.com\/v1\s+true\s+Widget$/m);
    assert.match(await kubectl.ok('api-resources --namespaced=false -o name'), /^nodes$/m);
    assert.match(await kubectl.ok('api-versions'), /^policy\/v1$/m);
    assert.match(await kubectl.ok('cluster-info'), /control plane[^\n]* is running at [^\n]*https:\/\/127/);
    assert.match(await kubectl.ok('version'), /Server Version: v1\.36/);
    assert.match(await kubectl.ok('config view'), /token: REDACTED/);
    assert.equal(await kubectl.ok('get --raw /readyz'), 'ok');
  });

  it('prints lists in every form', async () => {
    const own = new Kubectl(cluster, await cluster.namespace());
    await own.ok('apply -f -', [], { input: sleeper('web', 2) });
    await own.ok(`rollout status deployment/web ${PATIENT}`);
    const wide = await own.ok('get pods -o wide');
    assert.match(
      wide,
      /^NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\s+IP\s+NODE\s+NOMINATED NODE\s+READINESS GATES\n/,
    );
    assert.match(wide, /1\/1\s+Running\s+0\s+\S+\s+\d+\.\S+\s+turnsole-\d\s+<none>\s+<none>/);
    assert.match(await own.ok('get deployment web -o wide --show-labels'), /busybox\s+app=web\s+app=web/);
    const columns = ['custom-columns=N:.metadata.labels.app,I:.spec.containers[*].image'];
    assert.equal(await own.ok('get pods --no-headers -o', columns), 'web   busybox\nweb   busybox\n');
    const range = ['jsonpath={range .items[?(@.kind=="Pod")]}{.status.phase},{end}'];
    assert.equal(await own.ok('get pods -o', range), 'Running,Running,');
    const template = ['go-template={{range .items}}{{.kind}} {{end}}'];
    assert.equal(await own.ok('get deployments,pods -o', template), 'Deployment Pod Pod ');
    assert.equal(
      (await own.ok('get pods -o name --chunk-size=1 --sort-by=.metadata.name')).split('\n').length,
      3,
    );
    assert.equal(await own.ok('get pods --field-selector=status.phase!=Running -o name'), '');
    assert.match(await own.ok('get all -A'), /default\s+service\/kubernetes/);
    assert.match(await own.ok('get deployment web --subresource=scale -o', ['jsonpath={.kind}']), /^Scale$/);
  });

  it('shows events', async () => {
    const own = new Kubectl(cluster, await cluster.namespace());
    await own.ok('apply -f -', [], { input: sleeper('web', 1) });
    await own.ok(`rollout status deployment/web ${PATIENT}`);
    assert.match(
      await own.ok('events --for deployment/web'),
      /ScalingReplicaSet\s+Deployment\/web\s+Scaled up/,
    );
    assert.equal(await own.ok('events --types=Warning'), '');
    assert.match(await own.ok('get events --sort-by=.lastTimestamp'), /Scheduled[\s\S]*Started/);
  });
});
