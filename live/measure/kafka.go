package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// kafkaVersion is the release, as Maven has it.
const kafkaVersion = "3.9.1"

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dejavu</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>` + kafkaVersion + `</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`

// A broker of one node, controller and all: its address, the controller's, and its folder.
const properties = `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@%[2]s
listeners=PLAINTEXT://%[1]s,CONTROLLER://%[2]s
advertised.listeners=PLAINTEXT://%[1]s
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=%[3]s
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
log.retention.ms=-1
`

// errNoKafka is a machine that cannot run Kafka.
var errNoKafka = errors.New("no Kafka here")

// fetchKafka fetches the jars by Maven, once for all runs.
func fetchKafka(ctx context.Context, out io.Writer) (string, error) {
	if _, err := exec.LookPath("mvn"); err != nil {
		return "", fmt.Errorf("%w: %w", errNoKafka, err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	jars := filepath.Join(cache, "dejavu", "kafka-"+kafkaVersion)
	if found, _ := filepath.Glob(filepath.Join(jars, "kafka_2.13-*.jar")); len(found) > 0 {
		return jars, nil
	}
	if err := os.MkdirAll(filepath.Dir(jars), 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Dir(jars), "fetching-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(pom), 0o600); err != nil {
		return "", err
	}
	fmt.Fprintf(out, "fetching Kafka %s by Maven into %s\n", kafkaVersion, jars)
	mvn := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", filepath.Join(dir, "pom.xml"),
		"dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(dir, "jars"))
	if b, err := mvn.CombinedOutput(); err != nil {
		return "", fmt.Errorf("maven: %w\n%s", err, b)
	}
	return jars, os.Rename(filepath.Join(dir, "jars"), jars)
}

// startKafka starts a broker from a folder of jars, or from those that Maven fetches
// where it is empty.
func startKafka(ctx context.Context, dir, jars string, out io.Writer) (*Process, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoKafka, err)
	}
	if jars == "" {
		var err error
		if jars, err = fetchKafka(ctx, out); err != nil {
			return nil, err
		}
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	controller, err := freeAddress()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "server.properties")
	text := fmt.Sprintf(properties, address, controller, filepath.Join(dir, "kafka"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	java := []string{
		"java", "-Xmx512m", "-XX:+UseSerialGC", "-cp", filepath.Join(jars, "*"),
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
	}
	format := append(java[1:len(java):len(java)],
		"kafka.tools.StorageTool", "format", "-t", "ZGVqYXZ1LXByb29mLTAwMQ", "-c", path)
	if b, err := exec.CommandContext(ctx, java[0], format...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("kafka: format: %w\n%s", err, b)
	}
	return startListening(ctx, newProcess(address, "kafka", dir, append(java, "kafka.Kafka", path)...))
}
