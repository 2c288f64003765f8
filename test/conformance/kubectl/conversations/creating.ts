/** `create` with each of its generators, `run` and `expose`. */
import { setup, type Theme } from '../harness/conversation.ts';

/** What a generator makes: what it says, and the object. */
function made(name: string, command: string, object: string): { name: string; steps: string[] } {
  return { name, steps: [`kubectl create ${command}`, `kubectl get ${object} -o yaml`] };
}

export const CREATING: Theme = {
  theme: 'creating',
  conversations: [
    made('create-configmap', 'configmap c --from-literal=a=b --from-file=web.yaml', 'cm c'),
    made('create-configmap-of-folder', 'configmap c --from-env-file=kustomization.yaml', 'cm c'),
    made('create-secret', 'secret generic s --from-literal=user=me', 'secret s'),
    made(
      'create-docker-secret',
      'secret docker-registry r --docker-server=r.example.com --docker-username=u --docker-password=p',
      'secret r',
    ),
    {
      name: 'create-tls-secret',
      steps: [
        setup('openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -days 9 -subj /CN=x 2>/dev/null'),
        'kubectl create secret tls t --cert=c --key=k',
        "kubectl get secret t -o jsonpath='{.type}'",
        'kubectl create secret tls u --cert=c --key=cm.yaml',
      ],
    },
    made('create-service-clusterip', 'service clusterip s --tcp=80:8080', 'svc s'),
    made('create-service-headless', 'service clusterip s --clusterip=None --tcp=80', 'svc s'),
    made('create-service-nodeport', 'service nodeport s --tcp=80', 'svc s'),
    made('create-service-loadbalancer', 'service loadbalancer s --tcp=80', 'svc s'),
    made('create-service-externalname', 'service externalname s --external-name=x.example.com', 'svc s'),
    made('create-serviceaccount', 'serviceaccount me', 'sa me'),
    made(
      'create-role',
      'role r --verb=get,list --resource=pods,deployments.apps --resource-name=x',
      'role r',
    ),
    made(
      'create-rolebinding',
      'rolebinding b --clusterrole=view --user=me --serviceaccount=default:x --group=g',
      'rolebinding b',
    ),
    {
      name: 'create-clusterrole',
      steps: [
        'kubectl create clusterrole $NS-c --verb=get --resource=nodes --non-resource-url=/x',
        'kubectl create clusterrole $NS-c --verb=get --resource=nodes',
        'kubectl get clusterrole $NS-c -o yaml',
        'kubectl create clusterrole $NS-a --aggregation-rule=k=v',
        "kubectl get clusterrole $NS-a -o jsonpath='{.aggregationRule}'",
        'kubectl create clusterrolebinding $NS-b --clusterrole=view --user=x',
        'kubectl get clusterrolebinding $NS-b -o yaml',
      ],
      after: ['kubectl delete clusterrole $NS-a $NS-c', 'kubectl delete clusterrolebinding $NS-b'],
    },
    {
      name: 'create-namespace',
      steps: [
        'kubectl create namespace $NS-other',
        'kubectl create namespace $NS-other',
        'kubectl get ns $NS-other -o jsonpath={.spec.finalizers}',
        'kubectl create ns Wrong_Name',
        'kubectl delete ns $NS-other --wait=false',
      ],
    },
    made('create-deployment', 'deployment d --image=example.com/d:1 --replicas=0 --port=80', 'deploy d'),
    made('create-job', 'job j --image=example.com/j:1 --dry-run=server -o yaml -- echo hi', 'jobs'),
    {
      name: 'create-job-from-cronjob',
      steps: [
        setup('kubectl apply -f cronjob.yaml'),
        'kubectl create job once --from=cronjob/nightly',
        "kubectl get job once -o jsonpath='{.metadata.annotations} {.metadata.ownerReferences[0].kind}'",
        'kubectl create job once --from=cronjob/nothing',
      ],
    },
    made('create-cronjob', "cronjob c --image=example.com/c:1 --schedule='*/5 * * * *'", 'cronjob c'),
    made(
      'create-ingress',
      "ingress i --class=nginx --rule='x.example.com/p*=svc:80,tls=t' --annotation a=b",
      'ing i',
    ),
    made('create-quota', 'quota q --hard=pods=3,requests.cpu=1 --scopes=BestEffort', 'quota'),
    made(
      'create-quota-plain',
      'quota q --hard=pods=3,count/deployments.apps=2',
      'quota q -o jsonpath={.spec} #',
    ),
    made('create-pdb', 'pdb b --selector=app=web --min-available=50%', 'pdb b -o jsonpath={.spec} #'),
    {
      name: 'create-priorityclass',
      steps: [
        'kubectl create priorityclass $NS-p --value=100 --description=some --preemption-policy=Never',
        'kubectl get pc $NS-p -o yaml',
        'kubectl create priorityclass $NS-q --value=2000000000',
      ],
      after: ['kubectl delete pc $NS-p'],
    },
    {
      name: 'create-token',
      steps: [
        'kubectl create token default | tr -cd . | wc -c',
        "kubectl create token default --duration=10m --audience=a -o jsonpath='{.spec.audiences} {.spec.expirationSeconds}'",
        'kubectl create token default --duration=1m',
        'kubectl create token nobody',
      ],
    },
    {
      name: 'create-from-file',
      steps: [
        'kubectl create -f cm.yaml',
        'kubectl create -f cm.yaml',
        'kubectl create -f all.yaml',
        'kubectl create -f nothing.yaml',
      ],
    },
    {
      name: 'create-dry-run',
      steps: [
        'kubectl create -f cm.yaml --dry-run=server',
        'kubectl create -f cm.yaml --dry-run=client -o yaml',
        'kubectl create -f cm.yaml --dry-run=server -o yaml',
        'kubectl get cm settings',
      ],
    },
    {
      name: 'create-save-config',
      steps: [
        'kubectl create -f cm.yaml --save-config',
        'kubectl get cm settings -o jsonpath={.metadata.annotations}',
        'kubectl apply view-last-applied cm settings',
      ],
    },
    {
      name: 'create-generate-name',
      steps: [
        'kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { generateName: made- }\nE',
      ],
    },
    {
      name: 'create-without-kind',
      steps: [
        'kubectl create -f - <<E\napiVersion: v1\nmetadata: { name: x }\nE',
        'kubectl create -f - <<E\nkind: ConfigMap\nmetadata: { name: x }\nE',
        'kubectl create -f - <<E\napiVersion: v1\nkind: Gadget\nmetadata: { name: x }\nE',
        'kubectl create -f - <<E\na: [\nE',
      ],
    },
    {
      name: 'create-in-missing-namespace',
      steps: [
        'kubectl create cm x -n no-such-namespace',
        'kubectl create -f cm.yaml -n no-such-namespace',
        'kubectl create deployment x --image=y -n no-such-namespace',
      ],
    },
    {
      name: 'create-in-terminating-namespace',
      steps: [
        setup('kubectl create ns $NS-end'),
        setup(
          'kubectl create -n $NS-end -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: held, finalizers: [example.com/hold] }\nE',
        ),
        setup('kubectl delete ns $NS-end --wait=false'),
        setup('kubectl wait ns/$NS-end --for=jsonpath={.status.phase}=Terminating'),
        'kubectl create cm x -n $NS-end',
        'kubectl get ns $NS-end',
        setup('kubectl wait ns/$NS-end --for=condition=NamespaceFinalizersRemaining'),
        'kubectl get ns $NS-end -o jsonpath=\'{range .status.conditions[*]}{.type}={.status} {.reason}: {.message}{"\\n"}{end}\'',
      ],
      after: ['kubectl patch cm held -n $NS-end --type=merge -p \'{"metadata":{"finalizers":null}}\''],
    },
    {
      name: 'run',
      steps: [
        'kubectl run r --image=example.com/r:1 --port=80 --env=A=b --labels=x=y --overrides=\'{"spec":{"schedulerName":"nobody"}}\'',
        'kubectl get pod r -o yaml',
      ],
    },
    {
      name: 'run-dry',
      steps: [
        'kubectl run r --image=example.com/r:1 --dry-run=client -o yaml',
        "kubectl run r --image=example.com/r:1 --restart=Never --dry-run=server -o jsonpath='{.spec.restartPolicy} {.status.qosClass}' --command -- sh -c 'x y'",
        'kubectl run',
        'kubectl run Wrong --image=x',
        'kubectl run r --image=',
      ],
    },
    {
      name: 'run-and-expose',
      steps: [
        'kubectl run r --image=example.com/r:1 --port=80 --expose --overrides=\'{"spec":{"schedulerName":"nobody"}}\'',
        'kubectl get svc r -o jsonpath={.spec.selector}',
      ],
    },
    {
      name: 'expose',
      steps: [
        setup('kubectl apply -f web.yaml'),
        'kubectl expose deploy web --port=80 --target-port=http',
        'kubectl get svc web -o yaml',
        'kubectl expose deploy web --port=80',
        'kubectl expose deploy web --name=other --type=NodePort',
        'kubectl get svc other -o jsonpath={.spec.ports[0].port}',
      ],
    },
    {
      name: 'expose-others',
      steps: [
        setup('kubectl apply -f pod.yaml -f service.yaml'),
        'kubectl expose pod p --port=80 --name=of-pod',
        'kubectl expose svc web --port=81 --name=of-service',
        'kubectl expose cm settings --port=80',
        'kubectl expose pod p',
        'kubectl expose pod nobody --port=80',
      ],
    },
    {
      name: 'create-exists',
      steps: [
        setup('kubectl create sa me'),
        'kubectl create sa me',
        'kubectl create deployment a --image=',
        'kubectl create role r --verb=get',
        'kubectl create service clusterip s',
        'kubectl create quota q --hard=a',
      ],
    },
  ],
};
