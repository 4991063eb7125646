#!/usr/bin/env bash
# Starts a Kafka of one node, with nothing in it, and prints its address:
#
#   BROKERS=$(kafka/start.sh)
#   kafka/start.sh stop
#
# It needs Java 11 or 17 and, to fetch Kafka once (100 MB), Maven; without them the exit status is 3. PORT is the port to
# listen at, the next one is the controller's; KEEP is the directory for the jars, the log and the records. MORE is a
# file with more lines of the broker's configuration.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=kafka port=${PORT:-9192} pom=$here/pom.xml
source "$here/../server.sh"
prepare "$@"
rm -rf "$home"
mkdir "$home"
cat - ${MORE:+"$MORE"} >"$home/server.properties" <<CONF
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
await $!
