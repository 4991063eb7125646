package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"dejavu/live/config"
	"dejavu/strategies/strategytest"
)

// The file of defaults says every key, and passes as a file of one's own.
func TestDefault(t *testing.T) {
	c := strategytest.Value(config.Read())
	again, err := config.Read(config.Default)
	if err != nil || c.Listen != again.Listen || c.Limits != again.Limits {
		t.Errorf("%+v, %v, want %+v", again, err, c)
	}
	places := c.SecretFile + " " + c.Embedded.Folder + " " + c.Snapshots.Folder
	if !strings.HasPrefix(c.Listen, "127.0.0.1:") || places != "dejavu-data/secret dejavu-data/log dejavu-data/snapshots" {
		t.Errorf("listen %q, files %s, want loopback, and places in data", c.Listen, places)
	}
	var said, all map[string]any
	b := strategytest.Value(yaml.Marshal(c))
	strategytest.Must(t, yaml.Unmarshal(config.Default, &said), yaml.Unmarshal(b, &all))
	for key, value := range all {
		if _, ok := said[key]; !ok {
			t.Errorf("default.yaml does not say %s", key)
		}
		if inner, ok := value.(map[string]any); ok {
			for k := range inner {
				if _, ok := said[key].(map[string]any)[k]; !ok {
					t.Errorf("default.yaml does not say %s.%s", key, k)
				}
			}
		}
	}
}

const kafka = "log: kafka\nkafka: {brokers: [a:1], "

// What is wrong is named, with its value and what would have worked.
func TestWrong(t *testing.T) {
	var refused [][2]string
	strategytest.Must(t, yaml.Unmarshal(strategytest.Value(os.ReadFile("testdata/wrong.yaml")), &refused))
	strategytest.Equal(t, len(refused) > 30, true, "there are configurations to refuse")
	for _, c := range refused {
		strategytest.ErrorSays(t, c[0], strategytest.ErrorOf(config.Read([]byte(c[0]))), c[1])
	}
	for _, file := range []string{
		"limits: {limit: 256}", "window: 9\nfpr: 0.5",
		kafka + "tls: true, sasl: plain, user: u, password_file: p}",
	} {
		strategytest.ErrorSays(t, file, strategytest.ErrorOf(config.Read([]byte(file))), "")
	}
	_, err := config.ReadFile("nowhere")
	strategytest.ErrorSays(t, "no such file", err, "open nowhere")
	path := filepath.Join(t.TempDir(), "file")
	strategytest.Must(t, os.WriteFile(path, []byte("partitions: 7"), 0o600))
	for path, want := range map[string]int{"": 256, path: 7} {
		strategytest.Equal(t, strategytest.Value(config.ReadFile(path)).Partitions, want, "partitions of %q", path)
	}
	strategytest.ErrorSays(t, "an empty file", strategytest.ErrorOf(config.Read(nil)), "")
}

// Every bounded key is refused beyond its least and its most value, and takes those values.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ beyond, bound, keys string }{
		{"0", "1", "partitions limits.candidates limits.limit limits.requests limits.user_bytes limits.connections"},
		{"0", "1", "limits.requests_at_once"},
		{"-1", "0", "retries window kafka.replicas"},
		{"1023", "1024", "limits.body_bytes limits.header_bytes"},
		{"-1s", "0s", "idle"},
		{"999ms", "1s", "kafka.timeout kafka.session clock.jump clock.hold"},
		{"99ms", "100ms", "snapshots.every"},
		{"9ms", "10ms", "limits.request_time limits.read_time limits.write_time limits.idle_time limits.stop_time"},
		{"4097", "4096", "partitions"},
		{"1048577", "1048576", "retries limits.candidates limits.requests limits.connections limits.requests_at_once"},
		{"10001", "10000", "limits.limit"},
		{"65537", "65536", "limits.user_bytes"},
		{"101", "100", "kafka.replicas"},
		{"1073741825", "1073741824", "limits.body_bytes"},
		{"16777217", "16777216", "limits.header_bytes"},
		{"876000h0m1s", "876000h", "idle"},
		{"1h0m1s", "1h", "kafka.timeout kafka.session"},
		{"8760h0m1s", "8760h", "clock.jump clock.hold"},
		{"720h0m1s", "720h", "snapshots.every"},
		{"24h0m1s", "24h", "limits.request_time limits.read_time limits.write_time limits.idle_time limits.stop_time"},
	} {
		for key := range strings.FieldsSeq(c.keys) {
			file := key + ": %s"
			if group, inner, ok := strings.Cut(key, "."); ok {
				file = group + ": {" + inner + ": %s}"
			}
			if group := strings.TrimPrefix(file, "kafka: {"); group != file {
				file = kafka + group
			}
			read := func(value string) error { return strategytest.ErrorOf(config.Read(fmt.Appendf(nil, file, value))) }
			strategytest.ErrorSays(t, key, read(c.beyond), key+" is "+c.beyond+", want ")
			strategytest.ErrorSays(t, key+" of "+c.bound, read(c.bound), "")
		}
	}
}

// No file makes Read panic; what it takes can be run.
func FuzzRead(f *testing.F) {
	f.Add([]byte("partitions: 4\nlimits: {candidates: 9}"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := config.Read(b); err == nil && (c.Partitions < 1 || c.Limits.BodyBytes < 1) {
			t.Errorf("%q is taken for %+v", b, c)
		}
	})
}
