package instance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"dejavu/live/config"
	"dejavu/live/log/kafka"
)

// Who logs in as the configuration says is let in, and nobody else; files that are not
// what they should be are named.
func TestLogin(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(),
		kfake.Superuser("SCRAM-SHA-256", "ann", "a password"), kfake.Superuser("SCRAM-SHA-512", "bob", "another"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	base := config.Kafka{Brokers: cluster.ListenAddrs(), Topic: "t", Group: "g", Timeout: time.Second}
	for _, c := range []struct {
		sasl, user, password string
		in                   bool
	}{
		{"scram-sha-256", "ann", "a password\n", true},
		{"scram-sha-512", "bob", "another", true},
		{"scram-sha-256", "ann", "another", false},
		{"", "", "", false},
	} {
		k := base
		k.SASL, k.User, k.PasswordFile = c.sasl, c.user, file("password", c.password)
		o, err := kafkaOptions(k)
		if err != nil {
			t.Fatal(err)
		}
		o.Partitions, o.Replicas = 1, 1
		patience := map[bool]time.Duration{true: time.Minute, false: 300 * time.Millisecond}[c.in]
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		l, err := kafka.Open(ctx, o)
		cancel()
		if (err == nil) != c.in {
			t.Errorf("%q with %q: %v", c.user, c.sasl, err)
		}
		if err == nil {
			l.Close()
		}
	}
	for _, c := range []struct {
		change func(*config.Kafka)
		want   string
	}{
		{func(k *config.Kafka) { k.TLS, k.CAFile = true, file("ca", "none") }, "no certificate in PEM"},
		{func(k *config.Kafka) { k.TLS, k.CAFile = true, "nowhere" }, "kafka.ca_file: open nowhere"},
		{func(k *config.Kafka) { k.SASL, k.PasswordFile = "plain", "nowhere" }, "kafka.password_file: open nowhere"},
	} {
		k := base
		c.change(&k)
		if _, err := kafkaOptions(k); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
