#!/usr/bin/env bash
# Starts Beam's Flink job server with a Flink inside it, and prints its address:
#
#   FLINK=$(flink/start.sh) go test ./...
#   go run . simulate --runner flink --endpoint localhost:8099 --environment_type LOOPBACK ...
#   flink/start.sh stop
#
# It takes Java 11 or 17 and, to fetch the job server once (150 MB), Maven. With
# FLINK_MASTER=host:port jobs go to a Flink cluster that runs there; PORT is the
# port to listen at, and KEEP the directory for the jars and the log. JVM are flags of
# Java: by default it does not spend on code that runs for minutes what it does not win
# back, which JVM= undoes for a stream. WITHOUT are jars that it need not have, their names'
# beginnings with | between them: it sends the others to a cluster with each job. The exit
# status is 3 where Java or Maven is not there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=$(realpath -m "${KEEP:-${XDG_CACHE_HOME:-$HOME/.cache}/dejavu-flink}")
readonly here keep port=${PORT:-8099}
mkdir -p "$keep"

case ${1-} in
  "") ;;
  stop)
    [[ -e $keep/$port.pid ]] && kill "$(cat "$keep/$port.pid")" 2>/dev/null
    rm -f "$keep/$port.pid"
    exit 0
    ;;
  *)
    echo "flink/start.sh: argument \"$1\", want none, or stop" >&2
    exit 2
    ;;
esac

listens() { (exec 3<>"/dev/tcp/localhost/$port") 2>/dev/null; }
if listens; then
  echo "localhost:$port" # it runs already
  exit 0
fi
command -v java >/dev/null || { echo "flink/start.sh: left out: there is no java" >&2; exit 3; }
jars=$keep/jars-$(cksum <"$here/pom.xml" | cut -d ' ' -f 1)
if [[ ! -e $jars ]]; then
  command -v mvn >/dev/null || { echo "flink/start.sh: left out: there is no mvn to fetch the job server" >&2; exit 3; }
  echo "fetching the job server" >&2
  rm -rf "$jars.part"
  mvn -B -q -f "$here/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$jars.part" >&2
  mv "$jars.part" "$jars"
fi
# Workers that are processes of Flink leave what they were told in its directory.
read -ra jvm <<<"${JVM--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
class_path=$(printf '%s\n' "$jars"/* | grep -v -E "/(${WITHOUT:-$})" | paste -s -d :)
nohup env -C "$keep" java "${jvm[@]}" -cp "$class_path" org.apache.beam.runners.flink.FlinkJobServerDriver \
  --flink-master "${FLINK_MASTER:-[local]}" --job-host localhost --job-port "$port" \
  --artifact-port 0 --expansion-port 0 --artifacts-dir "$keep/artifacts-$port" >"$keep/$port.log" 2>&1 </dev/null &
echo $! >"$keep/$port.pid"
for _ in {1..240}; do
  if listens; then
    echo "localhost:$port"
    exit 0
  fi
  kill -0 "$(cat "$keep/$port.pid")" 2>/dev/null || break
  sleep 1
done
echo "flink/start.sh: the job server does not listen at $port; the end of $keep/$port.log:" >&2
tail -n 5 "$keep/$port.log" >&2
exit 1
