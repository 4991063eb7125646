#!/usr/bin/env bash
# Starts a Kafka of one node, with nothing in it, and prints its address:
#
#   BROKERS=$(kafka/start.sh)
#   kafka/start.sh stop
#
# It takes Java 11 or 17 and, to fetch Kafka once (100 MB), Maven. PORT is the port to
# listen at, the next one is the controller's; KEEP is the directory for the jars, the
# log and the records. The exit status is 3 where Java or Maven is not there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=$(realpath -m "${KEEP:-${XDG_CACHE_HOME:-$HOME/.cache}/dejavu-flink}")
readonly here keep port=${PORT:-9192}
readonly home=$keep/kafka-$port
mkdir -p "$keep"

case ${1-} in
  "") ;;
  stop)
    [[ -e $home/pid ]] && kill "$(cat "$home/pid")" 2>/dev/null
    rm -f "$home/pid"
    exit 0
    ;;
  *)
    echo "kafka/start.sh: argument \"$1\", want none, or stop" >&2
    exit 2
    ;;
esac

listens() { (exec 3<>"/dev/tcp/localhost/$port") 2>/dev/null; }
if listens; then
  echo "localhost:$port" # it runs already
  exit 0
fi
command -v java >/dev/null || { echo "kafka/start.sh: left out: there is no java" >&2; exit 3; }
jars=$keep/kafka-jars-$(cksum <"$here/pom.xml" | cut -d ' ' -f 1)
if [[ ! -e $jars ]]; then
  command -v mvn >/dev/null || { echo "kafka/start.sh: left out: there is no mvn to fetch Kafka" >&2; exit 3; }
  echo "fetching Kafka" >&2
  rm -rf "$jars.part"
  mvn -B -q -f "$here/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$jars.part" >&2
  mv "$jars.part" "$jars"
fi
rm -rf "$home"
mkdir "$home"
cat >"$home/server.properties" <<CONF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@localhost:$((port + 1))
listeners=PLAINTEXT://localhost:$port,CONTROLLER://localhost:$((port + 1))
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$home/records
offsets.topic.replication.factor=1
# Times of records are the users', which may be of any year.
log.retention.ms=-1
CONF
kafka=(java -Xmx512m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$jars/*")
"${kafka[@]}" kafka.tools.StorageTool format -t ZGVqYXZ1LWthZmthLTAwMQ -c "$home/server.properties" >"$home/log" 2>&1
"${kafka[@]}" kafka.Kafka "$home/server.properties" >>"$home/log" 2>&1 </dev/null &
echo $! >"$home/pid"
for _ in {1..240}; do
  if listens; then
    echo "localhost:$port"
    exit 0
  fi
  kill -0 "$(cat "$home/pid")" 2>/dev/null || break
  sleep 1
done
echo "kafka/start.sh: Kafka does not listen at $port; the end of $home/log:" >&2
tail -n 5 "$home/log" >&2
exit 1
