/** `patch`, `edit`, `label`, `annotate` and `set`. */
import { setup, type Theme } from '../harness/conversation.ts';

const web = setup('kubectl apply -f web.yaml');
const cm = setup('kubectl create -f cm.yaml');
const pod = setup('kubectl create -f pod.yaml');

export const CHANGING: Theme = {
  theme: 'changing',
  conversations: [
    {
      name: 'patch-strategic',
      steps: [
        web,
        'kubectl patch deploy web -p \'{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"x"}]}}}}\'',
        "kubectl get deploy web -o jsonpath='{.spec.template.spec.containers[*].name}'",
        'kubectl patch deploy web -p \'{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}\'',
        "kubectl get deploy web -o jsonpath='{.spec.template.spec.containers[*].name}'",
        "kubectl patch deploy web -p '{}'",
      ],
    },
    {
      name: 'patch-merge',
      steps: [
        cm,
        'kubectl patch cm settings --type=merge -p \'{"data":{"colour":null,"new":"1"}}\'',
        'kubectl get cm settings -o jsonpath={.data}',
        'kubectl patch cm settings --type=merge -p \'{"data":{"new":1}}\'',
        'kubectl patch cm settings --type=merge -p \'{"metadata":{"name":"x"}}\'',
      ],
    },
    {
      name: 'patch-json',
      steps: [
        cm,
        'kubectl patch cm settings --type=json -p \'[{"op":"replace","path":"/data/colour","value":"blue"},{"op":"test","path":"/data/size","value":"10"}]\'',
        'kubectl patch cm settings --type=json -p \'[{"op":"test","path":"/data/size","value":"11"}]\'',
        'kubectl patch cm settings --type=json -p \'[{"op":"remove","path":"/data/nothing"}]\'',
        'kubectl patch cm settings --type=json -p \'[{"op":"jump","path":"/data"}]\'',
        "kubectl patch cm settings --type=json -p '{}'",
        'kubectl get cm settings -o jsonpath={.data}',
      ],
    },
    {
      name: 'patch-yaml',
      steps: [
        cm,
        "kubectl patch cm settings -p 'data: { colour: grey }'",
        "printf 'data: { colour: black }' > change.yaml; kubectl patch cm settings --patch-file change.yaml",
        "kubectl patch -f cm.yaml -p 'data: { a: b }' -o jsonpath={.data}",
      ],
    },
    {
      name: 'patch-wrong',
      steps: [
        cm,
        "kubectl patch cm settings -p '{'",
        'kubectl patch cm settings',
        "kubectl patch cm nobody -p '{}'",
        "kubectl patch cm settings --type=other -p '{}'",
        'kubectl patch cm settings -p \'{"nothing":1}\'',
      ],
    },
    {
      name: 'patch-unknown-field',
      steps: [
        web,
        'kubectl patch deploy web --type=merge -p \'{"spec":{"replicas":3,"nothing":1}}\'',
        'kubectl patch deploy web -p \'{"spec":{"replicas":"x"}}\'',
        'kubectl patch deploy web -p \'{"spec":{"replicas":-1}}\'',
      ],
    },
    {
      name: 'patch-status',
      steps: [
        web,
        'kubectl patch deploy web --subresource=status --type=merge -p \'{"status":{"replicas":9},"spec":{"replicas":7}}\'',
        'kubectl get deploy web -o jsonpath={.spec.replicas}',
        'kubectl patch deploy web --subresource=scale --type=merge -p \'{"spec":{"replicas":4}}\'',
        'kubectl get deploy web -o jsonpath={.spec.replicas}',
        'kubectl patch deploy web --subresource=scale --type=merge -p \'{"spec":{"replicas":-4}}\'',
      ],
    },
    {
      name: 'patch-dry-run',
      steps: [
        cm,
        'kubectl patch cm settings -p \'{"data":{"a":"b"}}\' --dry-run=server -o jsonpath={.data}',
        'kubectl patch cm settings -p \'{"data":{"a":"b"}}\' --dry-run=client',
        'kubectl get cm settings -o jsonpath={.data}',
      ],
    },
    {
      name: 'patch-resource-version',
      steps: [
        cm,
        'kubectl patch cm settings -p \'{"metadata":{"resourceVersion":"1"}}\'',
        'kubectl patch cm settings -p \'{"metadata":{"uid":"x"}}\'',
        'kubectl patch cm settings --type=merge -p \'{"metadata":{"finalizers":["x"]}}\'',
        'kubectl patch cm settings --type=merge -p \'{"metadata":{"labels":{"a b":"c"}}}\'',
      ],
    },
    {
      name: 'patch-pod',
      steps: [
        pod,
        'kubectl patch pod p -p \'{"spec":{"containers":[{"name":"main","image":"example.com/p:2"}]}}\'',
        'kubectl patch pod p -p \'{"spec":{"containers":[{"name":"main","command":["x"]}]}}\'',
        'kubectl patch pod p -p \'{"spec":{"nodeName":"x"}}\'',
        'kubectl patch pod p -p \'{"spec":{"activeDeadlineSeconds":100}}\'',
        'kubectl patch pod p -p \'{"spec":{"activeDeadlineSeconds":200}}\'',
        'kubectl patch pod p -p \'{"spec":{"tolerations":[{"key":"a","operator":"Exists"}]}}\'',
      ],
    },
    {
      name: 'patch-pod-resources',
      steps: [
        pod,
        'kubectl patch pod p -p \'{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"200m"}}}]}}\'',
      ],
    },
    {
      name: 'edit',
      steps: [
        cm,
        "KUBE_EDITOR='sed -i s/red/violet/' kubectl edit cm settings",
        'kubectl get cm settings -o jsonpath={.data.colour}',
        'KUBE_EDITOR=true kubectl edit cm settings',
        "KUBE_EDITOR='sed -i s/name:.settings/name:.other/' kubectl edit cm settings 2>&1 | grep -v /tmp/",
        'kubectl edit cm nobody',
      ],
    },
    {
      name: 'edit-refused',
      steps: [
        web,
        "KUBE_EDITOR='sed -i s/replicas:.2/replicas:.-2/' kubectl edit deploy web 2>&1 | grep -v -e '^$' -e /tmp/ | cut -c1-140",
      ],
    },
    {
      name: 'edit-status',
      steps: [
        web,
        "KUBE_EDITOR='sed -i s/replicas:.2/replicas:.6/' kubectl edit deploy web --subresource=scale 2>&1",
        'kubectl get deploy web -o jsonpath={.spec.replicas}',
      ],
    },
    {
      name: 'label',
      steps: [
        cm,
        'kubectl label cm settings a=b',
        'kubectl label cm settings a=b',
        'kubectl label cm settings a=c',
        'kubectl label cm settings a=c --overwrite',
        'kubectl label cm settings a-',
        'kubectl label cm settings a-',
        'kubectl label cm settings --list',
        'kubectl label cm --all all=yes',
        'kubectl label cm -l all=yes more=yes --dry-run=server',
      ],
    },
    {
      name: 'label-wrong',
      steps: [
        cm,
        "kubectl label cm settings 'a b=c'",
        'kubectl label cm settings a=-b',
        'kubectl label cm settings',
        'kubectl label cm nobody a=b',
        'kubectl label cm settings a=b --resource-version=1',
        'kubectl label cm settings -f cm.yaml a=b',
      ],
    },
    {
      name: 'annotate',
      steps: [
        cm,
        "kubectl annotate cm settings why='because of x'",
        'kubectl annotate cm settings why=y',
        'kubectl annotate cm settings why=y --overwrite',
        'kubectl annotate cm settings why-',
        'kubectl annotate cm settings --list',
        "kubectl annotate cm settings 'a b=c'",
      ],
    },
    {
      name: 'set-image',
      steps: [
        web,
        'kubectl set image deploy/web web=example.com/web:2',
        'kubectl set image deploy/web web=example.com/web:2',
        "kubectl set image deploy '*=example.com/web:3' --all",
        'kubectl set image deploy/web nobody=x',
        'kubectl set image deploy/web web=',
        'kubectl get deploy web -o jsonpath={.spec.template.spec.containers[0].image}',
      ],
    },
    {
      name: 'set-env',
      steps: [
        web,
        'kubectl set env deploy/web --list',
        'kubectl set env deploy/web COLOUR=blue NEW=1',
        'kubectl set env deploy/web COLOUR- ',
        'kubectl set env deploy/web --list',
        cm,
        'kubectl set env deploy/web --from=configmap/settings --keys=size --prefix=S_',
        'kubectl get deploy web -o jsonpath={.spec.template.spec.containers[0].env}',
      ],
    },
    {
      name: 'set-resources',
      steps: [
        web,
        'kubectl set resources deploy web --limits=cpu=200m,memory=64Mi --requests=cpu=100m',
        'kubectl get deploy web -o jsonpath={.spec.template.spec.containers[0].resources}',
        'kubectl set resources deploy web --limits=cpu=50m',
        'kubectl set resources deploy web --limits=cpu=x',
      ],
    },
    {
      name: 'set-serviceaccount',
      steps: [
        web,
        'kubectl set serviceaccount deploy web me',
        'kubectl get deploy web -o jsonpath={.spec.template.spec.serviceAccountName}',
        setup('kubectl create rolebinding b --clusterrole=view --user=me'),
        'kubectl set subject rolebinding b --user=you',
        "kubectl get rolebinding b -o jsonpath='{.subjects[*].name}'",
        setup('kubectl create service clusterip s --tcp=80'),
        'kubectl set selector svc s a=b',
        'kubectl get svc s -o jsonpath={.spec.selector}',
      ],
    },
    {
      name: 'generation',
      steps: [
        web,
        "kubectl get deploy web -o jsonpath='{.metadata.generation}'",
        setup('kubectl label deploy web a=b'),
        "kubectl get deploy web -o jsonpath='{.metadata.generation}'",
        setup('kubectl scale deploy web --replicas=1'),
        "kubectl get deploy web -o jsonpath='{.metadata.generation}'",
        setup('kubectl wait deploy/web --for=jsonpath={.status.observedGeneration}=2'),
      ],
    },
    {
      name: 'generation-of-pods',
      steps: [
        pod,
        "kubectl get pod p -o jsonpath='{.metadata.generation}'",
        setup('kubectl label pod p a=b'),
        "kubectl get pod p -o jsonpath='{.metadata.generation}'",
        setup('kubectl patch pod p -p \'{"spec":{"activeDeadlineSeconds":100}}\''),
        "kubectl get pod p -o jsonpath='{.metadata.generation}'",
      ],
    },
  ],
};
