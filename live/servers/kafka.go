package servers

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
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>` + kafkaVersion + `</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`

// ErrNoKafka is a machine that cannot run Kafka.
var ErrNoKafka = errors.New("no Kafka here")

// CanKafka says why this machine cannot run a Kafka, nil where it can.
func CanKafka(jars string) error {
	if _, err := exec.LookPath("java"); err != nil {
		return fmt.Errorf("%w: %w", ErrNoKafka, err)
	}
	if jars != "" {
		return nil
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return fmt.Errorf("%w: %w", ErrNoKafka, err)
	}
	return nil
}

// fetchKafka fetches the jars by Maven, once for all runs.
func fetchKafka(ctx context.Context, out io.Writer) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	jars := filepath.Join(cache, "dejavu", "kafka-"+kafkaVersion)
	if found, _ := filepath.Glob(filepath.Join(jars, "kafka_2.13-*.jar")); len(found) > 0 {
		return jars, nil
	}
	dir, err := os.MkdirTemp("", "dejavu-kafka-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(pom), 0o600); err != nil {
		return "", err
	}
	fmt.Fprintf(out, "fetching Kafka %s by Maven into %s\n", kafkaVersion, jars)
	mvn := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", filepath.Join(dir, "pom.xml"), "dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(dir, "jars"))
	if b, err := mvn.CombinedOutput(); err != nil {
		return "", fmt.Errorf("maven: %w\n%s", err, b)
	}
	if err := os.MkdirAll(filepath.Dir(jars), 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(filepath.Join(dir, "jars"), jars); err != nil {
		// On another file system, say: the copy will do for this run.
		kept, err := os.MkdirTemp("", "dejavu-jars-")
		if err != nil {
			return "", err
		}
		return kept, os.CopyFS(kept, os.DirFS(filepath.Join(dir, "jars")))
	}
	return jars, nil
}

// StartKafka starts a broker of one node, controller and all, from a folder of jars, or
// those that Maven fetches where it is empty.
func StartKafka(ctx context.Context, dir, jars string, out io.Writer) (*Process, error) {
	if err := CanKafka(jars); err != nil {
		return nil, err
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
	properties := filepath.Join(dir, "server.properties")
	text := fmt.Sprintf(`process.roles=broker,controller
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
`, address, controller, filepath.Join(dir, "kafka"))
	if err := os.WriteFile(properties, []byte(text), 0o600); err != nil {
		return nil, err
	}
	classes := filepath.Join(jars, "*")
	quiet := "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
	format := exec.CommandContext(ctx, "java", "-cp", classes, quiet, "kafka.tools.StorageTool", "format", "-t", "ZGVqYXZ1LXByb29mLTAwMQ", "-c", properties)
	if b, err := format.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("kafka: format: %w\n%s", err, b)
	}
	p := &Process{
		Address: address, name: "kafka", dir: dir, log: filepath.Join(dir, "kafka.log"),
		command: []string{"java", "-Xmx512m", "-XX:+UseSerialGC", "-cp", classes, quiet, "kafka.Kafka", properties},
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	if err := p.AwaitListens(ctx); err != nil {
		_ = p.Kill()
		return nil, err
	}
	return p, nil
}
