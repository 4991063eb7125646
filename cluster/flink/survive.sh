#!/usr/bin/env bash
# Tries a stream on a Flink cluster of separate processes on this machine: answers and histories must equal what a
# plain loop gives, whatever happens to the cluster.
#
#   flink/survive.sh [remember|load|manager|rescale|upgrade][,...] [users] [seconds] [flags of the job]
#
#   remember  a task manager that is at work is killed by SIGKILL, with its workers
#   load      all requests wait when the job starts, and nothing is killed. Flink's reporter must have the metrics of
#             jobs/alerts.yaml: it listens at 9249 and 9250 of all this machine's addresses while the script runs
#   manager   the job manager is killed, twice
#   rescale   the job is stopped with a savepoint and goes on with three slots, and then with one
#   upgrade   it is stopped so and goes on with a step more before Remember, and then with one that keeps state
#
# A stop with a savepoint may repeat no answer; after a kill repeats are counted. Requests and answers are in topics of a
# Kafka of one node.
# There is one job manager, and three task managers of one slot, or one of three if none is killed. The workers are
# processes of the task managers (Beam's PROCESS environment). The stream goes on for some seconds after the last
# answer, 30 by default. ROUNDS repeats the modes on the same cluster. CONF holds more lines of Flink's configuration.
# It needs what start.sh needs, and Go. The exit status is 3 without Java or Maven.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here modes=${1:-remember} users=${2:-500} seconds=${3:-30}
machines=1
for mode in ${modes//,/ }; do
  case $mode in
    remember) machines=3 ;;
    load | manager | rescale | upgrade) ;;
    *)
      echo "flink/survive.sh: \"$mode\", want remember, load, manager, rescale or upgrade" >&2
      exit 2
      ;;
  esac
done
readonly machines
keep=$(realpath -m "${KEEP:-${XDG_CACHE_HOME:-$HOME/.cache}/dejavu-flink}")
tmp=$(mktemp -d)
export JVM=${JVM--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}
read -ra jvm <<<"$JVM"
export KEEP=$keep PORT=8097 FLINK_MASTER=localhost:8081 FLINK_CONF_DIR=$tmp/conf
# The descendants of a process.
below() { local child; for child in $(pgrep -P "$1"); do echo "$child"; below "$child"; done; }
finish() {
  local cwd
  "$here/start.sh" stop || true
  PORT=9192 "$here/../kafka/start.sh" stop || true
  for pid in $(jobs -pr); do kill "$pid" 2>/dev/null || true; done # and no number that is another's by now
  wait 2>/dev/null || true
  # A manager that ends leaves its workers, which are in its directory.
  for cwd in /proc/[0-9]*/cwd; do
    [[ $(readlink "$cwd" 2>/dev/null) != "$tmp" ]] || kill "$(basename "${cwd%/cwd}")" 2>/dev/null || true
  done
  rm -rf "$keep/flink-$PORT/artifacts" # programs that the job server was given: it keeps them
  [[ -n ${DEBUG-} ]] || rm -rf "$tmp"
}
trap finish EXIT

cd "$here/.."
go build -ldflags "-s -w" -o "$tmp/boot" github.com/apache/beam/sdks/v2/go/container
go test -c -vet=off -ldflags "-s -w" -o "$tmp/survivor" ./remember
mkdir "$FLINK_CONF_DIR"
cat "$here/flink-conf.yaml" - >"$FLINK_CONF_DIR/flink-conf.yaml" <<CONF
jobmanager.rpc.port: 6123
rest.port: 8081
taskmanager.numberOfTaskSlots: $((3 / machines))
heartbeat.interval: 1000
heartbeat.timeout: 20000
blob.service.cleanup.interval: 60
state.checkpoints.dir: file://$tmp/checkpoints
web.checkpoints.history: 1000
$([[ $modes != *load* ]] || echo "metrics.reporter.prom.factory.class: \
org.apache.flink.metrics.prometheus.PrometheusReporterFactory
metrics.reporter.prom.port: 9249-9250")
${CONF-}
CONF
"$here/start.sh" >/dev/null # fetches the jars, and is the way to the cluster
jars=$keep/flink-jars-$(cksum <"$here/pom.xml" | cut -d ' ' -f 1)
flink() { # name, class; workers leave what they were told in its directory
  rm -rf "$tmp/of-$1" # of one that was killed
  mkdir "$tmp/of-$1"
  env -C "$tmp" java "${jvm[@]}" -Xmx512m -Djava.io.tmpdir="$tmp/of-$1" -cp "$jars/*" "$2" --configDir "$FLINK_CONF_DIR" \
    -D "io.tmp.dirs=$tmp/of-$1" "${@:3}" >>"$tmp/$1.log" 2>&1 </dev/null &
}
job_manager() { flink jobmanager org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint; }
job_manager
job_manager=$!
managers=()
# task_managers starts task managers that do not run.
task_managers() {
  local n
  for n in $(seq $machines); do
    ! kill -0 "${managers[n]-none}" 2>/dev/null || continue
    flink "taskmanager-$n" org.apache.flink.runtime.taskexecutor.TaskManagerRunner
    managers[n]=$!
  done
}
task_managers
# The cluster is up when all task managers have found their job manager.
up() {
  for _ in {1..600}; do
    ! curl -s http://localhost:8081/overview | grep -q "\"taskmanagers\":$machines" || return 0
    sleep 0.5
  done
  echo "the task managers have not found a job manager" >&2
  exit 1
}

# Each worker of a machine stages its program in its own directory: in a shared one they remove it from each other while
# starting, and end with code 1.
cat >"$tmp/worker" <<WORKER
#!/usr/bin/env bash
exec "$tmp/boot" --semi_persist_dir "\$(mktemp -d "$tmp/worker-XXXXXX")" "\$@"
WORKER
printf '#!/bin/sh\nexec "%s" "$@"\n' "$tmp/survivor" >"$tmp/survivor-here"
chmod +x "$tmp/worker" "$tmp/survivor-here"
# kill_one kills a task manager with workers of this run when the given share of the answers exists.
kill_one() {
  local manager victims
  until grep -q "^$1 % of" "$tmp/run.txt"; do
    kill -0 "$run" || { tail -n 20 "$tmp/run.txt" >&2; exit 1; }
    sleep 0.1
  done
  for manager in "${managers[@]}"; do
    victims=$(below "$manager")
    [[ -n $victims ]] || continue
    kill -9 "$manager" $victims # its workers would die with its machine
    wait "$manager" 2>/dev/null || true
    echo "task manager $manager was at work, and is killed"
    return
  done
  echo "no task manager was at work" >&2
  exit 1
}
finished() { wait "$run" || { tail -n 20 "$tmp/run.txt"; tail -n 20 "$tmp"/*manager*.log; exit 1; }; }

# stream runs the test of package remember on Flink that compares its answers. It stages a script that runs the program
# here: copying 90 MB for each worker of each job would take most of the start.
stream() {
  : >"$tmp/run.txt" # what the one before has said is over, also while this one starts
  "$tmp/survivor" -test.run "^TestSurvives$" --users "$users" --kafka.brokers "$brokers" --kafka.topic "$topic" \
    --saved "$tmp/checkpoints" --runner flink --endpoint "localhost:$PORT" --parallelism "$parallelism" \
    --worker_binary "$tmp/survivor-here" --environment_type PROCESS \
    --environment_config "{\"command\": \"$tmp/worker\"}" --flink_rest "$FLINK_MASTER" "$@" >>"$tmp/run.txt" 2>&1 &
  run=$!
}
# running prints the running job's ID.
running() { curl -s "$rest" | grep -o '[0-9a-f]\{32\}","status":"RUNNING' | cut -c 1-32; }
# ended waits until the test has all answers, and prints its output and the outcome of the job's checkpoints.
ended() {
  local job='' now all last
  while kill -0 "$run" 2>/dev/null; do
    now=$(running || true)
    job=${now:-$job}
    sleep 1
  done
  finished
  grep -e '0 % of' -e 'answers and histories' "$tmp/run.txt" | sed 's/, at [0-9]*$//'
  all=$(curl -s "$rest/$job/checkpoints")
  count() { [[ $all =~ \"$1\":([0-9]+) ]] && echo "${BASH_REMATCH[1]}"; }
  restored=$(count restored || echo 0)
  echo "load $(cut -d ' ' -f 1 /proc/loadavg); checkpoints: $(count completed), $restored restored," \
    "$(count failed) failed or could not begin; why, by the job manager:"
  grep -A 1 "Failed to trigger.* for job $job" "$tmp/jobmanager.log" |
    sed -n 's/.*Failure reason: //p; s/.*CheckpointException: //p' | sort | uniq -c || true
  last=$(sed -n 's/^100 % .* at //p' "$tmp/run.txt")
  local fields='.*"status":"COMPLETED".*"trigger_timestamp":([0-9]+).*"state_size":([0-9]+).*'
  tr '{' '\n' <<<"$all" | sed -nE "s/$fields\"end_to_end_duration\":([0-9]+).*/\1 \2 \3/p" | sort -un |
    awk -v last="$last" '$1 < last { took = took " " $3 "/" $2 } $1 >= last { bytes = bytes " " $2 }
      END { print "milliseconds/bytes of each until the last answer:" took; print "bytes of each since:" bytes }'
}

remember() {
  stream --rate $((users / 3)) --linger "${seconds}s" "$@"
  kill_one 50
  ended
  ((restored > 0)) || { echo "the job did not go on from a checkpoint" >&2; exit 1; }
}
load() {
  local name
  stream --linger "${seconds}s" "$@"
  until grep -q '^50 % of' "$tmp/run.txt" || ! kill -0 "$run" 2>/dev/null; do sleep 0.2; done
  sed -n 's/^\(flink_[a-zA-Z0-9_]*\){.*/\1/p' <(curl -s localhost:9249) <(curl -s localhost:9250) | sort -u >"$tmp/metrics.txt"
  for name in $(grep -o 'flink_[a-zA-Z_]*[a-zA-Z]' "$here/../jobs/alerts.yaml" | sort -u); do
    grep "^$name" "$tmp/metrics.txt" || { cat "$tmp/metrics.txt"; echo "Flink reports no metric $name" >&2; exit 1; }
  done
  echo "Flink's reporter for Prometheus has the metrics of jobs/alerts.yaml"
  ended
}

# part runs a job until $1 per cent of the requests are answered, more are on their way, and a checkpoint was taken
# since. Then it kills the program that started the job.
part() {
  stream --linger 1h --until $(($1 + 10)) "${@:2}"
  until grep -q "^$1 % of" "$tmp/run.txt" && grep -q '^the requests' "$tmp/run.txt"; do
    kill -0 "$run" || { tail -n 20 "$tmp/run.txt" >&2; exit 1; }
    sleep 0.1
  done
  touch "$tmp/answered"
  until [[ -n $(find "$tmp/checkpoints" -name _metadata -newer "$tmp/answered" 2>/dev/null) ]]; do sleep 0.1; done
  kill -9 "$run"
  wait "$run" 2>/dev/null || true
  echo "$1 % of the requests are answered, and a checkpoint has them"
}
# whole runs a job to the end. It must have begun with a checkpoint.
whole() {
  stream --linger "${seconds}s" "$@"
  ended
  ((restored > 0)) || { echo "the job did not go on from a checkpoint" >&2; exit 1; }
}
# each of these says in from where the next job begins.
killed() {
  kill -9 "$job_manager"
  wait "$job_manager" 2>/dev/null || true
  from=file:$(dirname "$(ls -t "$tmp"/checkpoints/*/chk-*/_metadata | head -n 1)")
  echo "the job manager is killed, to go on from $from"
  sleep 3
  job_manager
  job_manager=$!
  up
}
stopped() {
  local job request said=
  job=$(running)
  request=$(curl -s "$rest/$job/stop" -d "{\"targetDirectory\": \"file://$tmp/savepoints\"}" | grep -o '[0-9a-f]\{32\}')
  until [[ $said == *COMPLETED* ]]; do
    sleep 0.2
    said=$(curl -s "$rest/$job/savepoints/$request")
  done
  from=$(grep -o 'file:[^"]*' <<<"$said") || { echo "$said" >&2; exit 1; }
  echo "the job is stopped, to go on from $from"
}
# twice runs a stream in three jobs. $1 ends the first two, $2 sets the slots of the others, $3 adds steps to them.
twice() {
  part 30 "${@:4}"
  "$1"
  parallelism=${2#* }
  part 60 --flink "savepoint_path=$from" ${3:+--more 1} "${@:4}"
  "$1"
  parallelism=${2% *}
  whole --flink "savepoint_path=$from" ${3:+--more 2} "${@:4}"
}
none_again() { grep -q '; 0 were written again' "$tmp/run.txt" || { echo "answers were repeated" >&2; exit 1; }; }
manager() { twice killed "2 2" "" "$@"; }
rescale() {
  twice stopped "1 3" "" "$@"
  none_again
}
upgrade() {
  twice stopped "2 2" more "$@"
  none_again
}

readonly rest=http://localhost:8081/jobs
brokers=$(PORT=9192 "$here/../kafka/start.sh")
for round in $(seq "${ROUNDS:-1}"); do
  for mode in ${modes//,/ }; do
    topic=$mode-$$-$round parallelism=2
    # Of the one before; its program, too, of which each worker has one.
    rm -rf "$tmp"/{checkpoints,savepoints,worker-*} "$keep/flink-$PORT/artifacts"/*
    task_managers
    up
    "$mode" "${@:4}"
    if curl -s "$rest" | tr '{' '\n' | grep '"status":' | grep -v -E '"(CANCELED|FAILED|FINISHED)"' >&2; then
      echo "this job is left running" >&2
      exit 1
    fi
    echo "$mode, round $round of ${ROUNDS:-1}, is over"
  done
done
