package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"dejavu/live/config"
	"dejavu/strategies/strategytest"
)

// The file of defaults says every key, and passes as a file of one's own.
func TestDefault(t *testing.T) {
	c := strategytest.Value(config.Read())
	strategytest.DeepEqual(t, strategytest.Value(config.Read(config.Default)), c, "the file of defaults")
	places := strings.Join([]string{c.Listen[:9], c.SecretFile, c.Embedded.Folder, c.Snapshots.Folder}, " ")
	strategytest.Equal(t, places, "127.0.0.1 dejavu-data/secret dejavu-data/log dejavu-data/snapshots", "places")
	said := map[string]bool{}
	each(t, config.Default, func(key string, _ any) { said[key] = true })
	each(t, strategytest.Value(yaml.Marshal(c)), func(key string, _ any) {
		strategytest.Equal(t, said[key], true, "default.yaml says %s", key)
	})
}

// each calls f for all keys of a file, those in sections by section.key.
func each(t *testing.T, file []byte, f func(key string, value any)) {
	var sections map[string]any
	strategytest.Must(t, yaml.Unmarshal(file, &sections))
	for section, value := range sections {
		f(section, value)
		inner, _ := value.(map[string]any)
		for key, value := range inner {
			f(section+"."+key, value)
		}
	}
}

const kafka = "log: kafka\nkafka: {brokers: [a:1], "

// Errors name the key, its value and what would have worked.
func TestWrong(t *testing.T) {
	var refused [][2]string
	strategytest.Must(t, yaml.Unmarshal(strategytest.Value(os.ReadFile("testdata/wrong.yaml")), &refused))
	strategytest.AtLeast(t, len(refused), 21, "configurations to refuse")
	for _, c := range refused {
		strategytest.ErrorSays(t, c[0], strategytest.ErrorOf(config.Read([]byte(c[0]))), c[1])
	}
	tls := kafka + "tls: true, sasl: plain, user: u, password_file: p}"
	for _, file := range []string{"limits: {limit: 256}", "window: 9\nfpr: 0.5", tls, ""} {
		strategytest.ErrorSays(t, file, strategytest.ErrorOf(config.Read([]byte(file))), "")
	}
	strategytest.ErrorSays(t, "no such file", strategytest.ErrorOf(config.ReadFile("nowhere")), "open nowhere")
	path := filepath.Join(t.TempDir(), "file")
	strategytest.Must(t, os.WriteFile(path, []byte("partitions: 7"), 0o600))
	for path, want := range map[string]int{"": 256, path: 7} {
		strategytest.Equal(t, strategytest.Value(config.ReadFile(path)).Partitions, want, "partitions of %q", path)
	}
}

// Every number and time has bounds, and is refused beyond them by its key and value.
func TestBounds(t *testing.T) {
	var bounds []string
	each(t, config.Default, func(key string, value any) {
		text := fmt.Sprint(value)
		_, number := value.(int)
		if _, err := time.ParseDuration(text); !number && err != nil || key == "fpr" { // a text, or a section
			return
		}
		wants := func(value string) (bounds string) {
			file := strings.Replace(key, ".", ": {", 1) + ": " + value + strings.Repeat("}", strings.Count(key, "."))
			said := strategytest.ErrorOf(config.Read([]byte(strings.Replace(file, "kafka: {", kafka, 1))))
			_, bounds, _ = strings.Cut(fmt.Sprint(said), key+" is "+value+", want ")
			return bounds
		}
		beyond := map[bool][2]string{false: {"-1s", "1000000h0m0s"}, true: {"-1", "2000000000"}}[number]
		own := wants(beyond[0])
		strategytest.Equal(t, wants(beyond[1]), own, "%s beyond its bounds", key)
		for bound := range strings.SplitSeq(own, " to ") {
			strategytest.Equal(t, wants(bound), "", "%s of %s", key, bound)
		}
		bounds = append(bounds, key+" "+own)
	})
	slices.Sort(bounds)
	strategytest.Equal(t, strings.Join(bounds, ", "), "clock.hold 1s to 8760h0m0s, clock.jump 1s to 8760h0m0s, "+
		"idle 0s to 876000h0m0s, kafka.session 1s to 1h0m0s, kafka.timeout 1s to 1h0m0s, "+
		"limits.body_bytes 1024 to 1073741824, limits.candidates 1 to 1048576, limits.connections 1 to 1048576, "+
		"limits.idle_time 10ms to 24h0m0s, limits.limit 1 to 10000, limits.read_time 10ms to 24h0m0s, "+
		"limits.request_time 10ms to 24h0m0s, limits.requests 1 to 1048576, limits.requests_at_once 1 to 1048576, "+
		"limits.stop_time 10ms to 24h0m0s, limits.user_bytes 1 to 65536, limits.write_time 10ms to 24h0m0s, "+
		"partitions 1 to 4096, retries 0 to 1048576, snapshots.every 100ms to 720h0m0s, window 0 to 1048576", "bounds")
}
