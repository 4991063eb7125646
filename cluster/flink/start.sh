#!/usr/bin/env bash
# Starts Flink and Beam's job server for it, and prints the job server's address:
#
#   FLINK=$(flink/start.sh) go test ./...
#   go run ./examples/stream --endpoint localhost:8099
#   flink/start.sh stop
#
# It needs Java 11 or 17 and, to fetch the jars once (150 MB), Maven; without them the exit status is 3. PORT is the job
# server's port; it takes the one before it, too. The next one is of Flink's REST interface and page, then comes the job
# manager's. KEEP is the directory for the jars and, by port, logs, checkpoints and savepoints. With FLINK_MASTER=host:port
# jobs go to a Flink that runs there. JVM holds flags of Java: the default saves compilers' time in jobs of minutes; set
# JVM= for a stream.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=flink port=${PORT:-8099} pom=$here/pom.xml
source "$here/../server.sh"
prepare "$@"
read -ra jvm <<<"${JVM--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
launch() { # name, flags of Java and class; workers leave what they were told in the directory
  nohup env -C "$home" java "${jvm[@]}" "${@:2}" >"$home/$1.log" 2>&1 </dev/null &
  pids+=($!)
}
pids=()
if [[ -z ${FLINK_MASTER-} ]]; then
  FLINK_MASTER=localhost:$((port + 1))
  export FLINK_CONF_DIR=$home/conf
  mkdir -p "$FLINK_CONF_DIR"
  cat "$here/flink-conf.yaml" - >"$FLINK_CONF_DIR/flink-conf.yaml" <<CONF
rest.port: $((port + 1))
jobmanager.rpc.port: $((port + 2))
taskmanager.numberOfTaskSlots: 4
state.checkpoints.dir: file://$home/checkpoints
state.savepoints.dir: file://$home/savepoints
CONF
  runtime=org.apache.flink.runtime
  launch jobmanager -cp "$jars/*" $runtime.entrypoint.StandaloneSessionClusterEntrypoint --configDir "$FLINK_CONF_DIR"
  launch taskmanager -cp "$jars/*" $runtime.taskexecutor.TaskManagerRunner --configDir "$FLINK_CONF_DIR"
  ready() {
    listens && (
      exec 3<>"/dev/tcp/localhost/$((port + 1))"
      printf 'GET /overview HTTP/1.0\r\n\r\n' >&3
      grep -q '"taskmanagers":1' <&3
    ) 2>/dev/null
  }
fi
# Jars that no job needs from the job server, which sends the others with each.
without='flink-rpc-akka|flink-shaded-zookeeper|grpc-xds|grpc-netty|conscrypt|proto-google-cloud-monitoring'
class_path=$(printf '%s\n' "$jars"/* | grep -v -E "/($without)" | paste -s -d :)
# No Java service that expands foreign steps: it would be one open port more.
launch jobserver -cp "$class_path" org.apache.beam.runners.flink.FlinkJobServerDriver --flink-master "$FLINK_MASTER" \
  --job-host localhost --job-port "$port" --artifact-port $((port - 1)) --expansion-port -1 --artifacts-dir "$home/artifacts"
await "${pids[@]}"
