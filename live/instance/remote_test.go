package instance_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.yaml.in/yaml/v3"

	"dejavu/internal/sysinfo"
	"dejavu/live/client"
	"dejavu/live/config"
	"dejavu/live/instance"
	"dejavu/live/measure"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// serves runs an instance with a configuration, and returns the error if it does not answer calls.
func serves(t *testing.T, file string) error {
	t.Helper()
	more := fmt.Appendf(nil, "listen: %s\ndata: %s\npartitions: 2\n%s", instance.Free(), t.TempDir(), file)
	c := strategytest.Value(config.Read(more))
	ctx, stop := context.WithTimeout(t.Context(), 90*time.Second)
	ended := make(chan error, 1)
	go func() { ended <- instance.Run(ctx, c, slog.New(slog.DiscardHandler)); stop() }()
	calls := strategytest.Value(client.New(client.Options{Addresses: []string{c.Listen}}))
	_, err := calls.Show(ctx, "ann", []strategies.ID{1}, 1)
	err = cmp.Or(err, calls.Seen(ctx, "ann", []strategies.ID{1}, make([]bool, 1)), calls.Forget(ctx, "ann"))
	stop()
	return cmp.Or(<-ended, err)
}

// folder makes certificates, a right password and a wrong one.
func folder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"right": "a-password\n", "wrong": "another"} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for i, name := range []string{"server", "caller", "stranger"} {
		instance.KeyPair(t, filepath.Join(dir, name), int64(i+1))
	}
	key := strategytest.Value(os.ReadFile(filepath.Join(dir, "server.key")))
	both := append(key, strategytest.Value(os.ReadFile(filepath.Join(dir, "server.crt")))...)
	strategytest.Must(t, os.WriteFile(filepath.Join(dir, "server.pem"), both, 0o600))
	return dir
}

// A trial is a section of a configuration. What it wants is said, in a line, where an instance cannot serve by it.
type trial struct {
	Config, Topic map[string]any
	Rights        map[string][]string
	Want          string
}

const nowhere = "nowhere"

// kafkaTrials tries the given doors, each trial on its own topic. Without a plain door all are to succeed.
func kafkaTrials(t *testing.T, dir, plain, login, certified string, made func(topic string, c *trial)) {
	t.Helper()
	words := strings.NewReplacer("FOLDER", dir, "PLAIN", plain, "LOGIN", login, "CERTIFIED", certified)
	var all []trial
	text := words.Replace(string(strategytest.Value(os.ReadFile("testdata/kafka.yaml"))))
	strategytest.Must(t, yaml.Unmarshal([]byte(text), &all))
	tried := 0
	for n, c := range all {
		// The race detector has nothing to find in most trials on a real broker.
		if c.Config["brokers"].([]any)[0] == nowhere || plain == nowhere && (c.Want != "" || c.Rights != nil) ||
			plain != nowhere && sysinfo.RaceDetector && n%4 > 0 {
			continue
		}
		tried++
		topic := fmt.Sprint("t", n)
		for key, value := range map[string]any{"topic": topic, "session": "6s", "timeout": "40s"} {
			if c.Config[key] == nil {
				c.Config[key] = value
			}
		}
		made(topic, &c)
		section := strategytest.Value(yaml.Marshal(map[string]any{"kafka": c.Config}))
		err := serves(t, "log: kafka\n"+string(section))
		strategytest.ErrorSays(t, string(section), err, strings.ReplaceAll(c.Want, "TOPIC", topic))
		strategytest.Equal(t, strings.Contains(fmt.Sprint(err), "\n"), false, "%v has several lines", err)
	}
	strategytest.AtLeast(t, tried, 1, "trials")
}

// As TestKafkaAccess, without Java, on a broker for tests, which ends connections in place of an answer.
func TestLogin(t *testing.T) {
	dir := folder(t)
	own := strategytest.Value(tls.LoadX509KeyPair(filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")))
	options := []kfake.Opt{
		kfake.NumBrokers(1), kfake.EnableSASL(), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{own}}),
	}
	for _, by := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		options = append(options, kfake.Superuser(by, "ann", "a-password"))
	}
	broker := strategytest.Value(kfake.NewCluster(options...))
	defer broker.Close()
	kafkaTrials(t, dir, nowhere, broker.ListenAddrs()[0], nowhere, func(string, *trial) {})
}

// As TestLogin, on a real broker, with certificates, rights, and settings of topics. Every error is one line.
func TestKafkaAccess(t *testing.T) {
	if testing.Short() {
		t.Skip("a broker takes its time")
	}
	dir, login, certified := folder(t), instance.Free(), instance.Free()
	properties := strings.NewReplacer("FOLDER", dir, "LOGIN", login, "CERTIFIED", certified).Replace(
		string(strategytest.Value(os.ReadFile("testdata/broker.properties"))))
	p, err := measure.StartKafka(t.Context(), t.TempDir(), properties)
	if errors.Is(err, exec.ErrNotFound) || err != nil && strings.HasPrefix(err.Error(), "maven: ") {
		t.Skip("left out: ", err)
	}
	strategytest.Must(t, err)
	t.Cleanup(func() { _ = p.Kill() })
	plain := p.Address
	client := strategytest.Value(kgo.NewClient(kgo.SeedBrokers(plain)))
	defer client.Close()
	admin := kadm.NewClient(client)
	kafkaTrials(t, dir, plain, login, certified, func(topic string, c *trial) {
		sets := map[string]*string{}
		for key, value := range c.Topic {
			sets[key] = kadm.StringPtr(fmt.Sprint(value))
		}
		if c.Topic != nil {
			strategytest.Value(admin.CreateTopic(t.Context(), 2, 1, sets, topic))
		}
		for _, by := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
			for _, name := range []string{"ann", topic} {
				user := kadm.UpsertSCRAM{User: name, Mechanism: by, Iterations: 4096, Password: "a-password"}
				altered, err := admin.AlterUserSCRAMs(t.Context(), nil, []kadm.UpsertSCRAM{user})
				strategytest.Must(t, cmp.Or(err, altered.Error()))
			}
		}
		for on, rights := range c.Rights {
			c.Config["user"] = topic
			list := kadm.NewACLs().Allow("User:" + topic).ResourcePatternType(kadm.ACLPatternLiteral)
			if list.Topics(topic); on == "group" {
				list.Topics().Groups("dejavu")
			}
			for _, right := range rights {
				list.Operations(strategytest.Value(kmsg.ParseACLOperation(right)))
				strategytest.Value(admin.CreateACLs(t.Context(), list))
			}
		}
	})
}
