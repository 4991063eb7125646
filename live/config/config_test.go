package config_test

import (
	"fmt"
	"os"
	"path/filepath"
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
	bounded := 0
	each(t, config.Default, func(key string, value any) {
		text := fmt.Sprint(value)
		_, number := value.(int)
		if _, err := time.ParseDuration(text); !number && err != nil || key == "fpr" { // a text, or a section
			return
		}
		bounded++
		beyond := map[bool][]string{false: {"-1s", "1000000h"}, true: {"-1", "2000000000"}}
		for _, value := range beyond[number] {
			file := strings.Replace(key, ".", ": {", 1) + ": " + value + strings.Repeat("}", strings.Count(key, "."))
			said := strategytest.ErrorOf(config.Read([]byte(strings.Replace(file, "kafka: {", kafka, 1))))
			strategytest.ErrorSays(t, key+" of "+value, said, key+" is "+value[:2])
		}
	})
	strategytest.Equal(t, bounded, 21, "keys with bounds")
}
