/** Who may do what: RBAC, `auth`, impersonation, tokens, certificates. */
import { setup, type Theme, until } from '../harness/conversation.ts';

const roles = setup('kubectl apply -f roles.yaml');
const AS = '--as=system:serviceaccount:$NS:reader';
const allowed = until(`kubectl auth can-i get pods ${AS}`, /^yes/);

export const PERMITTING: Theme = {
  theme: 'permitting',
  conversations: [
    {
      name: 'can-i',
      steps: [
        'kubectl auth can-i create pods',
        "kubectl auth can-i '*' '*'",
        'kubectl auth can-i get pods --subresource=log',
        'kubectl auth can-i get /healthz',
        'kubectl auth can-i get nodes',
        'kubectl auth can-i get gadgets',
        'kubectl auth can-i get pods --all-namespaces -q',
      ],
    },
    {
      name: 'can-i-as',
      steps: [
        roles,
        allowed,
        `kubectl auth can-i list pods ${AS}`,
        `kubectl auth can-i delete pods ${AS}`,
        `kubectl auth can-i get pods --subresource=log ${AS}`,
        `kubectl auth can-i get deployments/web ${AS}`,
        `kubectl auth can-i get deployments/other ${AS}`,
        `kubectl auth can-i get nodes ${AS}`,
        'kubectl auth can-i get pods --as=nobody',
      ],
    },
    {
      name: 'can-i-list',
      steps: [
        roles,
        allowed,
        `kubectl auth can-i --list ${AS}`,
        'kubectl auth can-i --list --as=nobody --as-group=system:authenticated',
      ],
    },
    {
      name: 'whoami',
      steps: [
        'kubectl auth whoami -o jsonpath={.status.userInfo.groups}',
        'kubectl auth whoami --as=me --as-group=us',
        `kubectl auth whoami ${AS} -o jsonpath={.status.userInfo.username}`,
        'kubectl auth whoami --as=me --as-uid=7 --as-group=a --as-group=b -o yaml',
      ],
    },
    {
      name: 'refused',
      steps: [
        'kubectl get pods --as=nobody',
        'kubectl get nodes --as=nobody',
        'kubectl create cm x --as=nobody',
        'kubectl get pod x --as=nobody',
        'kubectl delete pod x --as=nobody',
        'kubectl get pods -A --as=nobody',
        'kubectl get --raw /metrics --as=nobody',
        'kubectl apply -f cm.yaml --as=nobody',
        'kubectl logs x --as=nobody',
        'kubectl scale deploy x --replicas=1 --as=nobody',
      ],
    },
    {
      name: 'refused-partly',
      steps: [
        roles,
        allowed,
        `kubectl get pods ${AS}`,
        `kubectl get cm ${AS}`,
        `kubectl get deploy web ${AS}`,
        `kubectl get deploy ${AS}`,
        `kubectl get deploy other ${AS}`,
        `kubectl get all ${AS} 2>&1 | head -3`,
        `kubectl patch deploy web -p '{}' ${AS}`,
        `kubectl exec x ${AS} -- ls`,
      ],
    },
    {
      name: 'escalation',
      steps: [
        roles,
        setup('kubectl create role grant --verb=create,update,patch,get --resource=roles,rolebindings'),
        setup('kubectl create rolebinding grant --role=grant --user=granter'),
        until('kubectl auth can-i create roles --as=granter', /^yes/),
        'kubectl create role more --verb=get --resource=secrets --as=granter',
        'kubectl create role same --verb=create --resource=roles.rbac.authorization.k8s.io --as=granter',
        'kubectl create rolebinding b --clusterrole=admin --user=granter --as=granter',
        'kubectl create rolebinding c --role=read --user=granter --as=granter',
      ],
    },
    {
      name: 'impersonation',
      steps: [
        'kubectl get pods --as=nobody --as-group=system:masters',
        'kubectl get ns default -o name --as=x --as-group=system:masters',
        'kubectl get pods --as=a --as-user-extra=x=y',
        setup('kubectl create sa me'),
        setup('kubectl create rolebinding b --clusterrole=admin --serviceaccount=$NS:me'),
        until('kubectl auth can-i get pods --as=system:serviceaccount:$NS:me', /^yes/),
        'T=$(kubectl create token me); kubectl --kubeconfig nobody get pods --token=$T --as=other 2>&1',
      ],
    },
    {
      name: 'token-of-account',
      steps: [
        roles,
        allowed,
        'T=$(kubectl create token reader); kubectl --kubeconfig nobody --token=$T get pods',
        'T=$(kubectl create token reader); kubectl --kubeconfig nobody --token=$T get cm',
        'T=$(kubectl create token reader); kubectl --kubeconfig nobody --token=$T auth whoami -o jsonpath={.status.userInfo.groups}',
        'kubectl --kubeconfig nobody --token=wrong get pods',
      ],
    },
    {
      name: 'token-review',
      steps: [
        'T=$(kubectl create token default); printf \'{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"%s"}}\' $T | kubectl create -f - -o jsonpath=\'{.status.authenticated} {.status.user.username} {.status.user.groups}\'',
        'printf \'{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"x"}}\' | kubectl create -f - -o jsonpath=\'{.status}\'',
        "kubectl create -f - -o jsonpath='{.status}' <<E\napiVersion: authorization.k8s.io/v1\nkind: SubjectAccessReview\nspec: { user: nobody, resourceAttributes: { verb: get, resource: pods, namespace: $NS } }\nE",
      ],
    },
    {
      name: 'token-secret',
      steps: [
        setup('kubectl create sa me'),
        'kubectl create -f - <<E\napiVersion: v1\nkind: Secret\nmetadata: { name: t, annotations: { kubernetes.io/service-account.name: me } }\ntype: kubernetes.io/service-account-token\nE',
        until('kubectl get secret t -o jsonpath={.data.token}', /./),
        'kubectl get secret t',
        "kubectl get secret t -o jsonpath='{.data.namespace}' | base64 -d",
      ],
    },
    {
      name: 'certificates',
      steps: [
        setup('openssl req -newkey rsa:2048 -nodes -keyout k -subj /CN=$NS -out r 2>/dev/null'),
        'kubectl create -f - <<E\napiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: { name: $NS }\nspec: { request: $(base64 -w0 r), signerName: kubernetes.io/kube-apiserver-client, usages: [client auth], expirationSeconds: 3600 }\nE',
        "kubectl get csr $NS --no-headers | awk '{print $3, $NF}'",
        'kubectl certificate approve $NS',
        setup('kubectl wait csr/$NS --for=jsonpath={.status.certificate}'),
        "kubectl get csr $NS --no-headers | awk '{print $3, $NF}'",
        "kubectl get csr $NS -o jsonpath='{.status.certificate}' | base64 -d | openssl x509 -noout -subject",
        'kubectl certificate deny $NS 2>&1 | head -1',
        'kubectl certificate approve nobody',
      ],
      after: ['kubectl delete csr $NS'],
    },
    {
      name: 'default-roles',
      steps: [
        'kubectl get clusterrole view -o jsonpath=\'{range .rules[*]}{.apiGroups} {.resources} {.verbs}{"\\n"}{end}\'',
        "kubectl get clusterrole edit -o jsonpath='{.aggregationRule}'",
        'kubectl get clusterrole -o name | grep -v -e k- -e turnsole | head -80',
      ],
    },
    {
      name: 'anonymous',
      steps: [
        'kubectl --kubeconfig nobody get --raw /version | head -2',
        'kubectl --kubeconfig nobody get --raw /healthz',
        'kubectl --kubeconfig nobody get --raw /api/v1/pods',
      ],
    },
    {
      name: 'role-immutable',
      steps: [
        roles,
        'kubectl patch rolebinding read --type=merge -p \'{"roleRef":{"name":"other"}}\'',
        'kubectl apply -f - <<E\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: { name: read }\nroleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view }\nE',
      ],
    },
  ],
};
