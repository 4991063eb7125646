// Package config reads the service's configuration, a YAML file. default.yaml lists every key.
package config

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"dejavu/live/access"
)

// Default is the default configuration, as a file with comments.
//
//go:embed default.yaml
var Default []byte

// A Config is a configuration. default.yaml says what the fields mean; keys are their names in lower case.
type Config struct {
	Listen, RESP, Metrics string
	Data, Strategy        string
	Window                int
	FPR                   float64
	Idle                  time.Duration
	SecretFile            string `yaml:"secret_file"`
	TokenFile             string `yaml:"token_file"`
	WriteTokenFile        string `yaml:"write_token_file"`
	ReadTokenFile         string `yaml:"read_token_file"`
	Partitions, Retries   int
	Log                   string

	NewLog     bool   `yaml:"-"` // as flags of serve say
	TrustClock bool   `yaml:"-"`
	ClockFile  string `yaml:"-"`

	Embedded struct {
		Folder string
		Synced bool
	}
	Clock     struct{ Jump, Hold time.Duration }
	Kafka     Kafka
	Snapshots struct {
		Folder string
		Every  time.Duration
		OnStop bool `yaml:"on_stop"`
	}
	Limits Limits
	TLS    struct {
		CertFile string `yaml:"cert_file"`
		KeyFile  string `yaml:"key_file"`

		ClientCAFile string `yaml:"client_ca_file"`
	}
}

// Kafka configures the Kafka log.
type Kafka struct {
	access.Kafka     `yaml:",inline"`
	Topic, Group     string
	Timeout, Session time.Duration
}

// Limits bounds what callers may ask for.
type Limits struct {
	Candidates, Limit, Requests, Connections int
	UserBytes                                int           `yaml:"user_bytes"`
	BodyBytes                                int           `yaml:"body_bytes"`
	RequestsAtOnce                           int           `yaml:"requests_at_once"`
	RequestTime                              time.Duration `yaml:"request_time"`
	ReadTime                                 time.Duration `yaml:"read_time"`
	WriteTime                                time.Duration `yaml:"write_time"`
	IdleTime                                 time.Duration `yaml:"idle_time"`
	StopTime                                 time.Duration `yaml:"stop_time"`
}

// ReadFile reads the file at a path, if there is a path, and then more.
func ReadFile(path string, more ...[]byte) (Config, error) {
	if path == "" {
		return Read(more...)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return Read(append([][]byte{b}, more...)...)
}

// Read reads files over the defaults. The error names the wrong key, its value, and what would have worked.
func Read(files ...[]byte) (Config, error) {
	var c Config
	for i, file := range append([][]byte{Default}, files...) {
		d := yaml.NewDecoder(bytes.NewReader(file))
		d.KnownFields(true)
		if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) { // an empty file
			return c, fmt.Errorf("configuration: %s", explained(err))
		}
		if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
			return c, fmt.Errorf("configuration: file %d has more than one document", i)
		}
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("configuration: %w", err)
	}
	// Files that have no place of their own are in Data.
	c.SecretFile = cmp.Or(c.SecretFile, filepath.Join(c.Data, "secret"))
	c.Embedded.Folder = cmp.Or(c.Embedded.Folder, filepath.Join(c.Data, "log"))
	c.Snapshots.Folder = cmp.Or(c.Snapshots.Folder, filepath.Join(c.Data, "snapshots"))
	return c, nil
}

var (
	notFound = regexp.MustCompile(`field (\S+) not found in type .*`)
	mistyped = regexp.MustCompile("cannot unmarshal !!\\w+ (`.*`) into (\\S+)")
)

// wanted says what a value of a type looks like.
var wanted = map[string]string{
	"time.Duration": "a number and its unit, as 90s, 10m or 24h", "float64": "a number such as 0.02",
	"int": "a whole number", "bool": "true or false",
}

// explained returns a YAML error in one line, with what to write instead.
func explained(err error) string {
	all := []string{err.Error()}
	if of := new(yaml.TypeError); errors.As(err, &of) {
		all = of.Errors
	}
	for i, said := range all {
		said = notFound.ReplaceAllStringFunc(said, func(s string) string {
			key := notFound.FindStringSubmatch(s)[1]
			return fmt.Sprintf("unknown key %s, the nearest is %s", key, nearest(key, keys()))
		})
		if of := mistyped.FindStringSubmatch(said); of != nil && wanted[of[2]] != "" {
			said = mistyped.ReplaceAllString(said, "$1 is wrong, want "+wanted[of[2]])
		}
		all[i] = strings.Join(strings.Fields(said), " ")
	}
	return strings.Join(all, "; ")
}

// keys returns all keys of the configuration. A section's keys begin with its name and a dot.
func keys() (all []string) {
	var sections map[string]any
	_ = yaml.Unmarshal(Default, &sections) // the tests read it, too
	for key, value := range sections {
		all = append(all, key)
		inner, _ := value.(map[string]any)
		for k := range inner {
			all = append(all, key+"."+k)
		}
	}
	return all
}

// nearest returns the word that differs from the given one in the fewest letters, behind its last dot.
func nearest(word string, words []string) string {
	return slices.MinFunc(words, func(a, b string) int {
		of := func(s string) int { return distance(word, s[strings.LastIndexByte(s, '.')+1:]) }
		return cmp.Or(of(a)-of(b), strings.Compare(a, b))
	})
}

// distance returns how many letters must be inserted, deleted or changed to turn a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := before
			if a[i] != b[j] {
				changed++
			}
			before = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func (c *Config) check() error {
	var wrong error
	note := func(bad bool, format string, args ...any) {
		if bad && wrong == nil {
			wrong = fmt.Errorf(format, args...)
		}
	}
	number := func(key string, value, least, most int) {
		note(value < least || value > most, "%s is %d, want %d to %d", key, value, least, most)
	}
	during := func(key string, value, least, most time.Duration) {
		note(value < least || value > most, "%s is %v, want %v to %v", key, value, least, most)
	}
	for key, value := range map[string]string{"listen": c.Listen, "resp": c.RESP, "metrics": c.Metrics} {
		_, _, err := net.SplitHostPort(value)
		note(err != nil && (value != "" || key == "listen"), "%s is %q, want an address and a port: %w", key, value, err)
	}
	note(c.Data == "", "data is empty, want a folder")
	number("window", c.Window, 0, 1<<20)
	note(!(c.FPR >= 0 && c.FPR < 1), "fpr is %v, want 0 or more and less than 1", c.FPR)
	note((c.Window == 0) != (c.FPR == 0), "window is %d and fpr is %v: set both, such as 400 and 0.02, or neither",
		c.Window, c.FPR)
	during("idle", c.Idle, 0, 100*365*24*time.Hour)
	note(c.Idle%time.Second != 0, "idle is %v, want whole seconds", c.Idle)
	during("clock.jump", c.Clock.Jump, time.Second, 365*24*time.Hour)
	during("clock.hold", c.Clock.Hold, time.Second, 365*24*time.Hour)
	number("partitions", c.Partitions, 1, 4096)
	number("retries", c.Retries, 0, 1<<20)
	logs := []string{"embedded", "kafka"}
	note(!slices.Contains(logs, c.Log), "log is %q, want one of %q", c.Log, logs)
	if k := &c.Kafka; c.Log == "kafka" {
		err := k.Check("kafka")
		note(err != nil, "%w", err)
		note(k.Topic == "", "kafka.topic is empty")
		note(k.Group == "", "kafka.group is empty")
		during("kafka.timeout", k.Timeout, time.Second, time.Hour)
		during("kafka.session", k.Session, time.Second, time.Hour)
	}
	during("snapshots.every", c.Snapshots.Every, 100*time.Millisecond, 30*24*time.Hour)
	l := &c.Limits
	number("limits.candidates", l.Candidates, 1, 1<<20)
	number("limits.limit", l.Limit, 1, 10_000)
	number("limits.requests", l.Requests, 1, 1<<20)
	number("limits.user_bytes", l.UserBytes, 1, 1<<16)
	number("limits.body_bytes", l.BodyBytes, 1<<10, 1<<30)
	number("limits.connections", l.Connections, 1, 1<<20)
	number("limits.requests_at_once", l.RequestsAtOnce, 1, 1<<20)
	for key, value := range map[string]time.Duration{
		"limits.request_time": l.RequestTime, "limits.read_time": l.ReadTime, "limits.write_time": l.WriteTime,
		"limits.idle_time": l.IdleTime, "limits.stop_time": l.StopTime,
	} {
		during(key, value, 10*time.Millisecond, 24*time.Hour)
	}
	note((c.TLS.CertFile == "") != (c.TLS.KeyFile == ""),
		"tls.cert_file is %q and tls.key_file is %q, want both or none", c.TLS.CertFile, c.TLS.KeyFile)
	note(c.TLS.ClientCAFile != "" && c.TLS.CertFile == "",
		"tls.client_ca_file is %q and tls.cert_file is empty, want both", c.TLS.ClientCAFile)
	return wrong
}
