/**
 * Text of the shell program `kubectl` in containers of the embedded cluster, which runs the host's kubectl as in a real container:
 *
 * - It works on the cluster that its pod is in, by the pod's account. A kubeconfig of the host's user would win over these, and a step of
 *   a workflow would then act on whatever cluster that user works with.
 * - In a container that is not isolated, paths lead to its mounts. `kubectl apply -f /tmp/` would otherwise apply
 *   what lies in the host's folder.
 *
 * @param command words of a shell command line, quoted
 */
export function kubectlProgram(command: string): string {
  return `root="\${TURNSOLE_POD_ROOT%/}"
account="$root/var/run/secrets/kubernetes.io/serviceaccount"
if [ -z "$KUBECONFIG" ] && [ -n "$KUBERNETES_SERVICE_HOST" ] && [ -e "$account/token" ]; then
  export KUBECONFIG="\${root:-/tmp}/.turnsole-kubeconfig"
  cat > "$KUBECONFIG.$$" <<END
{"apiVersion":"v1","kind":"Config","current-context":"pod",
"clusters":[{"name":"pod","cluster":{"server":"https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT","certificate-authority":"$account/ca.crt"}}],
"contexts":[{"name":"pod","context":{"cluster":"pod","user":"pod","namespace":"$(cat "$account/namespace")"}}],
"users":[{"name":"pod","user":{"tokenFile":"$account/token"}}]}
END
  mv -f "$KUBECONFIG.$$" "$KUBECONFIG"
fi
for word; do
  shift
  case "$word" in
    -*=/*) flag="\${word%%=*}=" path="\${word#*=}" ;;
    /*) flag= path="$word" ;;
    *) flag= path= ;;
  esac
  if [ -n "$root" ] && [ -n "$path" ] && [ -e "$root$path" ]; then
    word="$flag$root$path"
  fi
  set -- "$@" "$word"
done
exec ${command} "$@"
`;
}
