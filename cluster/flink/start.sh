#!/usr/bin/env bash
# Starts Beam's Flink job server with a Flink inside it, and prints its address:
#
#   FLINK=$(flink/start.sh) go test ./...
#   go run ./examples/stream --endpoint localhost:8099
#   flink/start.sh stop
#
# It needs Java 11 or 17 and, to fetch the job server once (150 MB), Maven; without them the exit status is 3. With
# FLINK_MASTER=host:port jobs go to a Flink cluster that runs there. PORT is the port to listen at, KEEP the directory for
# the jars and the log. JVM holds flags of Java: the default saves compilers' time in jobs of minutes; set JVM= for a
# stream. WITHOUT lists jars to leave out, as beginnings of their names with | between them: the others are sent to a
# cluster with each job.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=flink port=${PORT:-8099} pom=$here/pom.xml
source "$here/../server.sh"
prepare "$@"
read -ra jvm <<<"${JVM--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
class_path=$(printf '%s\n' "$jars"/* | grep -v -E "/(${WITHOUT:-$})" | paste -s -d :)
# Workers that are processes of Flink leave what they were told in its directory.
nohup env -C "$home" java "${jvm[@]}" -cp "$class_path" org.apache.beam.runners.flink.FlinkJobServerDriver \
  --flink-master "${FLINK_MASTER:-[local]}" --job-host localhost --job-port "$port" \
  --artifact-port 0 --expansion-port 0 --artifacts-dir "$home/artifacts" >"$home/log" 2>&1 </dev/null &
await $!
