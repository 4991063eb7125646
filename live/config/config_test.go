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
		strategytest.Equal(t, said[key] != nil, true, "default.yaml says %s", key)
		if inner, ok := value.(map[string]any); ok {
			for k := range inner {
				strategytest.Equal(t, said[key].(map[string]any)[k] != nil, true, "default.yaml says %s.%s", key, k)
			}
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
	var sections map[string]any
	strategytest.Must(t, yaml.Unmarshal(config.Default, &sections))
	bounded := 0
	check := func(file, key string, value any) {
		text := fmt.Sprint(value)
		_, number := value.(int)
		if _, err := time.ParseDuration(text); !number && err != nil || key == "fpr" { // a text, or a section
			return
		}
		bounded++
		beyond := map[bool][]string{false: {"-1s", "1000000h"}, true: {"-1", "2000000000"}}
		for _, value := range beyond[number] {
			said := strategytest.ErrorOf(config.Read([]byte(strings.Replace(file, "VALUE", value, 1))))
			strategytest.ErrorSays(t, key+" of "+value, said, key+" is "+value[:2])
		}
	}
	for key, value := range sections {
		check(key+": VALUE", key, value)
		inner, _ := value.(map[string]any)
		for k, value := range inner {
			head := map[bool]string{false: key + ": {", true: kafka}[key == "kafka"]
			check(head+k+": VALUE}", key+"."+k, value)
		}
	}
	strategytest.Equal(t, bounded, 21, "keys with bounds")
}
