import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ClientCluster, Kubectl, kubectlMissing, PATIENT, startClientCluster } from './harness.ts';
import { sleeper } from './manifests.ts';

describe('kubectl: workloads', { skip: kubectlMissing, timeout: 600_000 }, () => {
  let cluster: ClientCluster;

  before(async () => {
    cluster = await startClientCluster();
  });
  after(() => cluster.close());

  /** A namespace with these objects in it. */
  const withObjects = async (...manifests: readonly string[]): Promise<Kubectl> => {
    const kubectl = new Kubectl(cluster, await cluster.namespace());
    if (manifests.length > 0) await kubectl.ok('apply -f -', [], { input: manifests.join('---\n') });
    return kubectl;
  };
  const rolledOut = `rollout status deployment/web ${PATIENT}`;

  it('rolls out, back, and again; pauses and resumes', async () => {
    const kubectl = await withObjects(sleeper('web', 1));
    assert.match(await kubectl.ok(rolledOut), /successfully rolled out/);
    await kubectl.ok('annotate deployment/web kubernetes.io/change-cause=first');
    await kubectl.ok('set image deployment/web main=alpine');
    await kubectl.ok('annotate deployment/web kubernetes.io/change-cause=second --overwrite');
    await kubectl.ok(rolledOut);
    assert.match(await kubectl.ok('rollout history deployment/web'), /1\s+first\n2\s+second/);
    assert.match(await kubectl.ok('rollout history deployment/web --revision=1'), /Image:\s+busybox/);
    assert.match(await kubectl.ok('rollout undo deployment/web --to-revision=1'), /rolled back/);
    await kubectl.ok(rolledOut);
    assert.equal(await kubectl.get('deployment/web', '.spec.template.spec.containers[0].image'), 'busybox');
    assert.match(await kubectl.ok('rollout history deployment/web'), /2\s+second\n3\s+first/);

    await kubectl.ok('rollout pause deployment/web');
    await kubectl.ok('set env deployment/web A=1');
    assert.match(await kubectl.ok('set env deployment/web --list'), /^A=1$/m);
    assert.match(await kubectl.fails('rollout undo deployment/web'), /cannot rollback a paused deployment/);
    const revision = '.metadata.annotations.deployment\\.kubernetes\\.io/revision';
    assert.equal(await kubectl.get('deployment/web', revision), '3');
    await kubectl.ok('rollout resume deployment/web');
    await kubectl.ok(rolledOut);
    assert.equal(await kubectl.get('deployment/web', revision), '4');
    assert.match(await kubectl.ok('rollout restart deployment/web'), /restarted/);
    await kubectl.ok(rolledOut);
  });

  it('rolls out stateful sets and daemon sets', async () => {
    const set = (kind: string, more: string): string =>
      sleeper(kind.toLowerCase(), 1)
        .replace('kind: Deployment', `kind: ${kind}`)
        .replace('  replicas: 1\n', more);
    const kubectl = await withObjects(
      set('StatefulSet', '  replicas: 2\n  serviceName: none\n  updateStrategy: { type: RollingUpdate }\n'),
      set('DaemonSet', ''),
    );
    for (const target of ['statefulset/statefulset', 'daemonset/daemonset']) {
      await kubectl.ok(`rollout status ${target} ${PATIENT}`);
      await kubectl.ok(`set image ${target} main=alpine`);
      await kubectl.ok(`rollout status ${target} ${PATIENT}`);
      assert.match(await kubectl.ok(`rollout history ${target}`), /^1\s+<none>\n2\s+<none>$/m);
      await kubectl.ok(`rollout undo ${target}`);
      await kubectl.ok(`rollout status ${target} ${PATIENT}`);
      assert.equal(await kubectl.get(target, '.spec.template.spec.containers[0].image'), 'busybox');
    }
  });

  it('scales, under a condition if wanted, and exposes', async () => {
    const kubectl = await withObjects(sleeper('web', 1));
    assert.match(
      await kubectl.fails('scale deployment/web --replicas=3 --current-replicas=2'),
      /Expected replicas to be 2, was 1/,
    );
    await kubectl.ok('scale deployment/web --replicas=2 --current-replicas=1');
    await kubectl.ok(rolledOut);
    await kubectl.ok('expose deployment web --port=80 --target-port=8080 --name=front');
    await kubectl.ok(`wait endpoints/front ${PATIENT}`, ['--for=jsonpath={.subsets[0].addresses[1].ip}']);
    assert.match(await kubectl.ok('describe service front'), /Endpoints:\s+[\d.]+:8080,[\d.]+:8080/);
    await kubectl.ok('autoscale deployment web --min=1 --max=3 --cpu-percent=80');
    assert.match(await kubectl.ok('get hpa web'), /Deployment\/web\s+cpu: <unknown>\/80%\s+1\s+3/);
    await kubectl.ok('set resources deployment/web --limits=cpu=200m,memory=64Mi');
    await kubectl.ok('set serviceaccount deployment/web default');
    await kubectl.ok('set selector service/front app=web,tier=x');
    assert.equal(await kubectl.get('service/front', '.spec.selector'), '{"app":"web","tier":"x"}');
  });

  it('deletes with orphans, in the foreground, and everything of a label', async () => {
    const kubectl = await withObjects(sleeper('web', 1), sleeper('other', 0));
    await kubectl.ok(rolledOut);
    await kubectl.ok('delete deployment web --cascade=orphan');
    assert.match(await kubectl.ok('get replicasets,pods -l app=web -o name'), /replicaset\S+\npod\S+\n$/);
    await kubectl.ok(`delete replicasets -l app=web --cascade=foreground ${PATIENT}`);
    assert.equal(await kubectl.ok('get replicasets,pods -l app=web -o name'), '');
    await kubectl.ok(`delete deployments --all ${PATIENT}`);
    assert.match(await kubectl.fails('delete deployment other'), /deployments\.apps "other" not found/);
    assert.equal(await kubectl.ok('delete deployment other --ignore-not-found'), '');
    await kubectl.ok(`delete namespace ${kubectl.namespace} ${PATIENT}`);
    assert.match(await kubectl.fails(`get namespace ${kubectl.namespace}`), /not found/);
  });

  it('waits for conditions, values, absence, and not for ever', async () => {
    const kubectl = await withObjects(sleeper('web', 1));
    assert.match(
      await kubectl.ok(`wait --for=condition=Available deployment/web ${PATIENT}`),
      /condition met/,
    );
    await kubectl.ok(`wait --for=jsonpath={.status.readyReplicas}=1 deployment/web ${PATIENT}`);
    await kubectl.ok(`wait --for=condition=Ready pods --all ${PATIENT}`);
    assert.match(await kubectl.fails('wait --for=delete deployment/web --timeout=1s'), /timed out waiting/);
    const [waited] = await Promise.all([
      kubectl.run(`wait --for=delete pods -l app=web ${PATIENT}`),
      kubectl.ok('delete deployment web'),
    ]);
    assert.equal(waited.code, 0, waited.stderr);
  });

  it('runs pods and jobs, and shows what they wrote', async () => {
    const kubectl = await withObjects();
    await kubectl.ok('run hello --image=busybox --restart=Never --command -- echo', ['hello there']);
    await kubectl.ok(`wait --for=jsonpath={.status.phase}=Succeeded pod/hello ${PATIENT}`);
    assert.equal(await kubectl.ok('logs hello'), 'hello there\n');
    assert.match(
      await kubectl.ok('logs hello --timestamps --tail=1'),
      /^\d{4}-\d\d-\d\dT\S+Z hello there\n$/,
    );
    const removed = await kubectl.ok('run once --rm -i --image=busybox --restart=Never --command -- echo', [
      'bye',
    ]);
    assert.match(removed, /bye[\s\S]*pod "once" deleted/);

    await kubectl.ok('create job direct --image=busybox -- echo', ['from a job']);
    await kubectl.ok(`wait --for=condition=Complete job/direct ${PATIENT}`);
    assert.equal(await kubectl.ok('logs job/direct'), 'from a job\n');
    await kubectl.ok('create cronjob tick --image=busybox', ['--schedule=0 0 1 1 *', '--', 'echo', 'tick']);
    await kubectl.ok('create job now --from=cronjob/tick');
    await kubectl.ok(`wait --for=condition=Complete job/now ${PATIENT}`);
    assert.equal(await kubectl.ok('logs -l job-name=now --prefix=false'), 'tick\n');
    assert.match(
      await kubectl.ok('get cronjobs,jobs'),
      /tick\s+0 0 1 1 \*[\s\S]*job\.batch\/now\s+Complete\s+1\/1/,
    );
    assert.match(await kubectl.ok('events --for job/now'), /Normal\s+Completed\s+Job\/now\s+Job completed/);
  });

  it('creates one of everything', async () => {
    const kubectl = await withObjects();
    const file = await cluster.file('some.properties', 'a=1\n');
    const commands = [
      'deployment web --image=busybox --replicas=0',
      'service clusterip plain --tcp=80:8080',
      'service nodeport node --tcp=80',
      'service externalname outside --external-name=example.com',
      'secret generic plain --from-literal=a=b',
      'secret docker-registry pull --docker-server=r.example --docker-username=u --docker-password=p',
      `configmap files --from-file=${file} --from-literal=b=2`,
      'serviceaccount robot',
      'role reader --verb=get,list --resource=pods,deployments.apps',
      'rolebinding reader --role=reader --serviceaccount=default:robot',
      'quota some --hard=pods=50',
      'poddisruptionbudget web --selector=app=web --min-available=1',
      'ingress web --rule=shop.example/*=plain:80',
    ];
    for (const command of commands) assert.match(await kubectl.ok(`create ${command}`), /created/);
    assert.equal(await kubectl.get('configmap/files', '.data.some\\.properties'), 'a=1\n');
    const token = await kubectl.ok('create token robot --duration=20m');
    const whoami = await kubectl.ok(`--token=${token.trim()} auth whoami -o`, [
      'jsonpath={.status.userInfo.username}',
    ]);
    assert.equal(whoami, `system:serviceaccount:${kubectl.namespace}:robot`);
    const listed = await kubectl.ok('get service -o', ['custom-columns=N:.metadata.name,T:.spec.type']);
    assert.match(listed, /^N\s+T\nnode\s+NodePort\noutside\s+ExternalName\nplain\s+ClusterIP\n$/);
  });
});
