/**
 * Runs a user's command inside of any image, and leaves behind what the pod's container `wait` reads. Its shell is a static BusyBox that
 * the init container has put into `HOME/bin`; of the image it uses only the command itself.
 *
 * `busybox sh run.sh HOME NAME [--result] [--logs] [--retries COUNT] [--pause SECONDS] [--after NAME]… [--until NAME]… [--beside NAME]… [--parameter KEY PATH]… [--artifact KEY PATH]… -- COMMAND…`
 *
 * In `HOME/NAME` it leaves `started`; `alive`, a pipe that has a writer as long as this shell lives, however it ends; `stdout` (--result),
 * `combined` (--logs), the present `parameters/KEY` and `artifacts/KEY.tar`; and at the very end `exitcode`. A missing file is
 * left out: the reader judges whether that is an error. It exits with the command's code, or 64 when it cannot run it.
 */
export const RUN_SCRIPT = `# Turnsole: runs a step's command and keeps what it leaves.
set -uf
home=$1 name=$2
shift 2
bb=$home/bin/busybox
mine=$home/$name
result= logs= after= until= beside= outputs= child= watcher= retries=0 pause=0
while [ "$1" != -- ]; do
  case $1 in
    --result) result=1; shift ;;
    --logs) logs=1; shift ;;
    --after) after="$after $2"; shift 2 ;;
    --until) until="$until $2"; shift 2 ;;
    --retries) retries=$2; shift 2 ;;
    --pause) pause=$2; shift 2 ;;
    --beside) beside="$beside $2"; shift 2 ;;
    *) outputs="$outputs$1 $2 $3
"; shift 3 ;;
  esac
done
shift

finish() {
  [ -z "$watcher" ] || kill -s KILL "$watcher" 2>/dev/null
  echo "$1" >"$mine/exitcode.new" && "$bb" mv "$mine/exitcode.new" "$mine/exitcode"
  exit "$1"
}

fail() {
  echo "turnsole: $1" >&2
  finish 64
}

# A shell starts commands of the background deaf to INT and QUIT: both are handed on as TERM.
stopped= told=
hand() {
  stopped=$1
  [ -z "$child" ] || kill -s "$1" "$child" 2>/dev/null
  [ -z "$told" ] || echo "$1" >&8
}
trap 'hand TERM' TERM INT QUIT
trap 'hand HUP' HUP
trap 'hand USR1' USR1
trap 'hand USR2' USR2

# A signal interrupts wait; a process that is still there is waited for again. One that ended in the same moment is gone
# already: asked once more, wait says how it ended, or 127 when it has said so before.
reap() {
  while :; do
    wait "$1"
    code=$?
    [ "$code" -gt 128 ] || return 0
    kill -0 "$1" 2>/dev/null && continue
    wait "$1" 2>/dev/null
    again=$?
    [ "$again" = 127 ] || code=$again
    return 0
  done
}

# The pause before another try. A signal ends it at whatever moment it comes: a process that only just begins to sleep would lose it.
rest() {
  told=1
  [ -z "$stopped" ] || return 0
  (
    "$bb" sleep "$pause" 8>&-
    echo over >&8
  ) >/dev/null 2>&1 3<&- 4>&- 5>&- 6>&- 7>&- 9>&- &
  child=$!
  read -r one <&8
  told=
}

ended() { [ -f "$home/$1/exitcode" ]; }

all_ended() {
  for one in $until; do ended "$one" || return 1; done
}

lookup() {
  case $1 in
    */*) program=$1; [ -x "$program" ] && [ ! -d "$program" ]; return ;;
  esac
  old=$IFS
  IFS=:
  for folder in \${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}; do
    program=\${folder:-.}/$1
    [ -x "$program" ] && [ ! -d "$program" ] && { IFS=$old; return 0; }
  done
  IFS=$old
  return 1
}

mask=$(umask)
umask 022
"$bb" mkdir -p "$mine/parameters" "$mine/artifacts" && "$bb" mkfifo "$mine/alive" "$mine/told" || fail "cannot write to $mine"
exec 3<&0 4>&1 5>&2 8<>"$mine/told" 9<>"$mine/alive"
: >"$mine/started"

for one in $after; do
  until ended "$one"; do
    [ -z "$stopped" ] || finish 143
    "$bb" sleep 0.2
  done
  read -r code <"$home/$one/exitcode"
  [ "$code" = 0 ] || fail "container $one ended with code $code, and $name depends on it"
done
lookup "$1" || fail "the command $1 is not in the image"
shift

out=4 err=5 tees=
if [ -n "$result$logs" ]; then
  "$bb" mkfifo "$mine/out"
  exec 6<>"$mine/out"
  "$bb" tee -a \${result:+"$mine/stdout"} \${logs:+"$mine/combined"} <"$mine/out" >&4 6>&- 8>&- 9>&- &
  tees=$! out=6
fi
if [ -n "$logs" ]; then
  "$bb" mkfifo "$mine/err"
  exec 7<>"$mine/err"
  "$bb" tee -a "$mine/combined" <"$mine/err" >&5 6>&- 7>&- 8>&- 9>&- &
  tees="$tees $!" err=7
fi

begin() {
  (
    umask "$mask"
    trap - TERM INT QUIT HUP USR1 USR2
    exec "$program" "$@" 0<&3 1>&$out 2>&$err 3<&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
  ) &
  child=$!
  [ -z "$stopped" ] || kill -s "$stopped" "$child" 2>/dev/null
}
begin "$@"
[ "$retries" -gt 0 ] || exec 6>&- 7>&-

if [ -n "$until" ]; then
  (
    exec 3<&- 8>&- 9>&-
    until all_ended; do "$bb" sleep 0.5; done
    kill -s TERM "$child" 2>/dev/null
    "$bb" sleep 10
    kill -s KILL "$child" 2>/dev/null
  ) >/dev/null 2>&1 4>&1 5>&1 &
  watcher=$!
fi

reap "$child"
while [ "$code" != 0 ] && [ "$retries" -gt 0 ] && [ -z "$stopped" ]; do
  retries=$((retries - 1)) failed=$code
  rest
  if [ -n "$stopped" ]; then code=$failed; else begin "$@"; reap "$child"; fi
done
exec 6>&- 7>&-
exitcode=$code
for one in $tees; do reap "$one"; done

# Containers of a set share volumes: what another one writes there is kept as well.
for one in $beside; do
  until ended "$one" || [ -n "$stopped" ]; do "$bb" sleep 0.2; done
done

while read -r kind key path; do
  [ -n "$kind" ] || continue
  while case $path in ?*/) true ;; *) false ;; esac; do path=\${path%/}; done
  [ -e "$path" ] || continue
  case $kind in
    --parameter) "$bb" cat "$path" >"$mine/parameters/$key" ;;
    --artifact)
      parent=\${path%/*}
      "$bb" tar -cf "$mine/artifacts/$key.tar" -C "\${parent:-/}" "\${path##*/}"
      ;;
  esac || echo "turnsole: cannot keep $path" >&2
done <<END
$outputs
END
finish "$exitcode"
`;
