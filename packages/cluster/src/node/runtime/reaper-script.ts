/**
 * The reaper: a POSIX shell program that outlives the cluster's process by a moment and leaves nothing of it.
 *
 * Its standard input is a pipe that only the cluster's process holds: `+<pgid>` and `-<pgid>` keep the list of process
 * groups; `cgroup <folder>`, `folder <folder>`, `links <prefix>`, and `journals <folder>` with `mark <text>` (files of its pods there that
 * hold the text) name what else exists; `users` says that the cluster has a user namespace to itself; `quit` ends it without doing anything. The end of input means that the owner is gone, in
 * whatever way. Then it kills the groups, then, where /proc exists, every process whose environment names a pod folder of this cluster
 * (those that left their group, or all of its user namespace; it looks until twice none is there, as a process that is just becoming another program shows no
 * environment), then the processes in its cgroups, and removes these, its links with the rules for them, and its folders. Arguments: the data
 * folder; `remove` or `keep`.
 */
export const REAPER_SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
data=$1 what=$2 groups=' ' cgroups= links= folders= journals= mark= users=
cd /
while IFS= read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) g=\${line#-}
        case $groups in *" $g "*) groups="\${groups%% $g *} \${groups#* $g }" ;; esac ;;
    'cgroup '*) cgroups="$cgroups
\${line#cgroup }" ;;
    'folder '*) folders="$folders
\${line#folder }" ;;
    'journals '*) journals=\${line#journals } ;;
    users) users=$(readlink /proc/self/ns/user) ;;
    'mark '*) mark=\${line#mark } ;;
    'links '*) links="$links \${line#links }" ;;
    quit) exit 0 ;;
  esac
done
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
if [ -n "$users" ]; then
  for round in 1 2 3 4 5; do
    found=
    for p in /proc/[0-9]*; do
      [ "\${p#/proc/}" != $$ ] && [ "$(readlink $p/ns/user 2>/dev/null)" = "$users" ] &&
        kill -s KILL "\${p#/proc/}" 2>/dev/null && found=1
    done
    [ -n "$found" ] || break
  done
fi
none=0
for round in 1 2 3 4 5; do
  found=
  for f in $(grep -lsF "TURNSOLE_POD_ROOT=$data/" /proc/[0-9]*/environ); do
    pid=\${f#/proc/}
    kill -s KILL "\${pid%/environ}" 2>/dev/null && found=1
  done
  [ -n "$found" ] || none=$((none + 1))
  [ $none -lt 2 ] || break
done
IFS='
'
for round in 1 2 3 4 5 6 7 8 9 10; do
  left=
  for c in $cgroups; do
    [ -d "$c" ] || continue
    for pid in $(find "$c" -name cgroup.procs -exec cat {} + 2>/dev/null); do
      kill -s KILL "$pid" 2>/dev/null
    done
    find "$c" -depth -type d -exec rmdir {} + 2>/dev/null
    [ ! -d "$c" ] || left=1
  done
  [ -n "$left" ] || break
  sleep 0.1 2>/dev/null || sleep 1
done
IFS='
'
# While the links are there, no other cluster has the address that is in the mark.
if [ -n "$mark" ]; then
  for f in $(grep -lsF "$mark" "$journals"/*); do rm -f -- "$f" 2>/dev/null; done
fi
IFS=' '
for n in $links; do
  nft delete table ip "$n" 2>/dev/null
  iptables -w 5 -S 2>/dev/null | sed -n "/^-A .* $n /s/-A/-D/p" | while IFS= read -r rule; do
    IFS=' '; iptables -w 5 $rule 2>/dev/null
  done
  for l in /sys/class/net/$n*; do
    [ ! -e "$l" ] || ip link del "\${l##*/}" 2>/dev/null
  done
done
IFS='
'
for f in $folders; do rm -rf -- "$f" 2>/dev/null; done
if [ "$what" = remove ]; then
  rm -rf -- "$data" 2>/dev/null || { sleep 1; rm -rf -- "$data" 2>/dev/null; }
else
  rm -rf -- "$data/pods" 2>/dev/null
fi
exit 0
`;
