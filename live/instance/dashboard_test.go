package instance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"dejavu/live/keeper"
	"dejavu/live/log/embedded"
	"dejavu/live/partition"
	"dejavu/live/service"
)

// exported are the names of all metrics of an instance with the embedded log.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	registry := service.NewRegistry()
	log, err := embedded.Open(filepath.Join(t.TempDir(), "log"), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	k := keeper.New(keeper.Config{Config: partition.Config{Of: 1, Log: log}})
	registry.MustRegister(keeperMetrics(k), logMetrics(log.Meter()))
	(&service.Service{Keeper: k, Registry: registry}).Handler()
	described := make(chan *prometheus.Desc, 1000)
	registry.Describe(described)
	close(described)
	names := map[string]bool{}
	for d := range described { // which says its name only so
		names[regexp.MustCompile(`fqName: "([^"]+)"`).FindStringSubmatch(d.String())[1]] = true
	}
	return names
}

// The dashboard asks for metrics that there are, and every metric of ours is on it and in the documentation.
func TestDashboard(t *testing.T) {
	b, err := os.ReadFile("../dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(b, &dashboard); err != nil {
		t.Fatal(err)
	}
	names := exported(t)
	shown := map[string]bool{}
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("%s asks for nothing", p.Title)
		}
		for _, target := range p.Targets {
			asked := regexp.MustCompile(`\b(dejavu|go|process)_\w+`).FindAllString(target.Expr, -1)
			if len(asked) == 0 {
				t.Errorf("%s: %q names no metric", p.Title, target.Expr)
			}
			for _, name := range asked {
				name = strings.TrimSuffix(name, "_bucket")
				shown[name] = true
				if !names[name] {
					t.Errorf("%s asks for %s, which there is not", p.Title, name)
				}
			}
		}
	}
	docs, err := os.ReadFile("../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if !strings.HasPrefix(name, "dejavu_") {
			continue
		}
		if !shown[name] {
			t.Errorf("%s is not on the dashboard", name)
		}
		if !strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("%s is not in docs/live.md", name)
		}
	}
}
