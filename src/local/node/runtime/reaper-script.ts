/**
 * The reaper: a POSIX shell program that outlives the cluster's process by a moment and leaves nothing of it.
 *
 * Its standard input is a pipe that only the cluster's process holds: `+<pgid>` and `-<pgid>` keep the list of process
 * groups, `quit` ends it without doing anything. The end of input means that the owner is gone, in whatever way. Then
 * it kills the groups, then, where there is /proc, every process whose environment names a pod folder of this cluster
 * (those that left their group), and removes the folder. Arguments: the data folder; `remove` or `keep`.
 */
export const REAPER_SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
data=$1 what=$2 groups=' '
cd /
while IFS= read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) g=\${line#-}
        case $groups in *" $g "*) groups="\${groups%% $g *} \${groups#* $g }" ;; esac ;;
    quit) exit 0 ;;
  esac
done
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
for round in 1 2 3 4 5; do
  found=
  for f in $(grep -lsF "TURNSOLE_POD_ROOT=$data/" /proc/[0-9]*/environ); do
    pid=\${f#/proc/}
    kill -s KILL "\${pid%/environ}" 2>/dev/null && found=1
  done
  [ -n "$found" ] || break
done
if [ "$what" = remove ]; then
  rm -rf -- "$data" 2>/dev/null || { sleep 1; rm -rf -- "$data" 2>/dev/null; }
else
  rm -rf -- "$data/pods" 2>/dev/null
fi
exit 0
`;
