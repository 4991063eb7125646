# Shared by flink/start.sh and kafka/start.sh. They set name, port, pom and home, the directory of the server's log and
# process number.
keep=$(realpath -m "${KEEP:-${XDG_CACHE_HOME:-$HOME/.cache}/dejavu-flink}")
jars=$keep/$name-jars-$(cksum <"$pom" | cut -d ' ' -f 1)
home=$keep/$name-$port
listens() { (exec 3<>"/dev/tcp/localhost/$port") 2>/dev/null; }
runs() { grep -qa "$keep/$name-jars" "/proc/$1/cmdline" 2>/dev/null; }

# stop ends the server's processes, and returns when they have ended, so that the ports are free.
stop() {
  local pid
  for pid in $(tac "$home/pid" 2>/dev/null); do
    ! runs "$pid" || kill "$pid"
    for _ in {1..100}; do
      runs "$pid" || continue 2
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
  done
}

# prepare obeys the script's argument. It returns if the server must be started, with its jars in place.
prepare() {
  case ${1-} in
    "") ;;
    stop) stop; exit 0 ;;
    *) echo "$name/start.sh: argument \"$1\", want none, or stop" >&2; exit 2 ;;
  esac
  ! listens || { echo "localhost:$port"; exit 0; } # it runs already
  command -v java >/dev/null || { echo "$name/start.sh: left out: there is no java" >&2; exit 3; }
  mkdir -p "$home"
  [[ ! -e $jars ]] || return 0
  command -v mvn >/dev/null || { echo "$name/start.sh: left out: there is no mvn to fetch the jars" >&2; exit 3; }
  echo "fetching the jars of $name, once" >&2
  rm -rf "$jars.part"
  mvn -B -q -f "$pom" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$jars.part" >&2
  mv "$jars.part" "$jars"
}

# ready reports whether the server can be used.
ready() { listens; }

# await waits until the server's processes are ready, and prints its address.
await() {
  local pid
  printf '%s\n' "$@" >"$home/pid"
  for _ in {1..240}; do
    ! ready || { echo "localhost:$port"; exit 0; }
    for pid in "$@"; do kill -0 "$pid" 2>/dev/null || break 2; done
    sleep 1
  done
  stop
  echo "$name/start.sh: no server is ready at $port; the ends of its logs:" >&2
  tail -n 5 "$home"/*log >&2
  exit 1
}
