#!/usr/bin/env bash
# A Flink cluster of separate processes on this machine, one of which is killed in
# the middle of a run: the results must be the bytes of one machine all the same.
#
#   flink/survive.sh [users]
#
# One job manager, three task managers of one slot each, for a run that takes two;
# workers are processes of the task managers (Beam's PROCESS environment), started
# with what the pipeline has staged. When the first shards are measured, a
# task manager that is at work is killed with SIGKILL. It takes what start.sh takes, and Go.
# The exit status is 3 where Java or Maven is not there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here users=${1:-100000} shards=10
readonly experiments=(fpr fill window memory daily extend)
keep=$(realpath -m "${KEEP:-${XDG_CACHE_HOME:-$HOME/.cache}/dejavu-flink}")
tmp=$(mktemp -d)
pids=()
export KEEP=$keep PORT=8097 FLINK_MASTER=localhost:8081
finish() {
  "$here/start.sh" stop || true
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  [[ -n ${DEBUG-} ]] || rm -rf "$tmp"
}
trap finish EXIT

"$here/start.sh" >/dev/null # fetches the jars, and is the way to the cluster
jars=$keep/jars-$(cksum <"$here/pom.xml" | cut -d ' ' -f 1)

mkdir "$tmp/conf"
cat >"$tmp/conf/flink-conf.yaml" <<CONF
jobmanager.rpc.address: localhost
jobmanager.rpc.port: 6123
rest.address: localhost
rest.port: 8081
taskmanager.host: localhost
taskmanager.numberOfTaskSlots: 1
taskmanager.cpu.cores: 1
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 128m
taskmanager.memory.jvm-metaspace.size: 256m
taskmanager.memory.jvm-overhead.min: 192m
taskmanager.memory.jvm-overhead.max: 192m
taskmanager.memory.task.heap.size: 256m
taskmanager.memory.task.off-heap.size: 16m
taskmanager.memory.network.min: 64m
taskmanager.memory.network.max: 64m
taskmanager.memory.managed.size: 128m
heartbeat.interval: 1000
heartbeat.timeout: 5000
restart-strategy.type: fixed-delay
restart-strategy.fixed-delay.attempts: 5
restart-strategy.fixed-delay.delay: 1 s
io.tmp.dirs: $tmp
CONF
flink() { # name, class; workers leave what they were told in its directory
  env -C "$tmp" java -Xmx512m -cp "$jars/*" "$2" --configDir "$tmp/conf" "${@:3}" >"$tmp/$1.log" 2>&1 </dev/null &
  pids+=($!)
}
flink jobmanager org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint
managers=()
for n in 1 2 3; do
  flink "taskmanager-$n" org.apache.flink.runtime.taskexecutor.TaskManagerRunner
  managers+=($!)
done

cd "$here/.."
go build -o "$tmp/cluster" .
go build -o "$tmp/boot" github.com/apache/beam/sdks/v2/go/container
program=${PROGRAM-}
if [[ -z $program ]]; then
  program=$tmp/experiments
  go build -C .. -trimpath -o "$program" ./experiments
fi

# What a worker does is told by the shards that it has open.
"$tmp/cluster" simulate --users "$users" --shards "$shards" --out "$tmp/apart" --program "$program" \
  --runner flink --endpoint "localhost:$PORT" --parallelism 2 --worker_binary "$tmp/cluster" \
  --environment_type PROCESS --environment_config "{\"command\": \"$tmp/boot\"}" \
  "${experiments[@]}" >"$tmp/run.txt" 2>&1 &
run=$!
pids+=("$run")

# The processes below a process.
below() { local child; for child in $(pgrep -P "$1"); do echo "$child"; below "$child"; done; }
killed=
for _ in {1..600}; do
  kill -0 "$run" 2>/dev/null || break
  for manager in "${managers[@]}"; do
    for child in $(below "$manager"); do
      if [[ -z $killed && $(ps -o args= -p "$child" 2>/dev/null) == *"--shard=3/$shards"* ]]; then
        echo "task manager $manager measures shard 3 of $shards, and is killed"
        victims=$(below "$manager")
        kill -9 "$manager"
        # Its workers would die with its machine.
        kill -9 $victims 2>/dev/null || true
        killed=$manager
      fi
    done
  done
  [[ -z $killed ]] || break
  sleep 0.1
done
wait "$run" || { tail -n 20 "$tmp/run.txt"; tail -n 20 "$tmp"/*manager*.log; exit 1; }
[[ -n $killed ]] || { echo "the run ended before a task manager could be killed" >&2; exit 1; }

"$program" run --users "$users" --out "$tmp/alone" "${experiments[@]}" >"$tmp/alone.txt" 2>&1 || true
same=0
for file in "$tmp"/alone/*.csv; do
  name=$(basename "$file")
  [[ $name == *.timing.csv ]] && continue
  cmp "$file" "$tmp/apart/$name"
  same=$((same + 1))
done
((same > 0)) || { echo "nothing to compare" >&2; exit 1; }
echo "$same files are the same bytes as on one machine"
