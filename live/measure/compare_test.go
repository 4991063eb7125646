package measure

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A short comparison has every contender that is to be had in each of its tables, with no number that is 0, and all of
// them answer with full pages. The others are left out by name.
func TestCompare(t *testing.T) {
	var out strings.Builder
	o := Compare{
		Users: 400, Articles: 120, For: 50 * time.Millisecond, Turns: 2, Callers: 2, Pipeline: 3,
		Only: []string{"Dejavu", "ZSET", "filter", "PostgreSQL"},
	}
	if testing.Short() {
		o.Only = o.Only[:1]
	}
	if err := o.Run(t.Context(), &out); err != nil {
		t.Fatal(err, out.String())
	}
	for name, program := range map[string]string{
		"Dejavu, Redis's protocol": "", "Dejavu, HTTP/1.1": "", "Redis, SET": "redis-server",
		"Redis, ZSET of 500": "redis-server", "Redis, filter": "redis-server", "PostgreSQL": "initdb",
	} {
		if testing.Short() && !strings.HasPrefix(name, "Dejavu") && name != "Redis, SET" {
			continue
		}
		_, err := exec.LookPath(program)
		if program == "initdb" {
			_, err = initdb()
		}
		lines := regexp.MustCompile("(?m)^"+name+"  +(.*)$").FindAllStringSubmatch(out.String(), -1)
		want := map[bool]int{true: 6}[program == "" || err == nil] // two tables of times and one of memory, durable and not
		if len(lines) != want || want == 0 && !strings.Contains(out.String(), "left out:") {
			t.Errorf("%s: %d lines, want %d", name, len(lines), want)
		}
		for i, line := range lines {
			fields := strings.Fields(line[1])
			shown, _ := strconv.ParseFloat(fields[len(fields)-1], 64)
			if memory := i%3 == 2; memory && (len(fields) != 4 || shown < 9.8 || shown > 10) || !memory && len(fields) != 7 {
				t.Errorf("%s: %q", name, line[1])
			}
			if first, err := strconv.ParseFloat(fields[0], 64); i%3 != 2 && !(first > 0) {
				t.Errorf("%s: %v shows/s, %v", name, first, err)
			}
		}
	}
}

// A short run of starts has all of them, with what each found: no snapshot, all in snapshots, and both.
func TestRestart(t *testing.T) {
	var out strings.Builder
	o := Compare{Users: 300, Articles: 120, Callers: 2, Dir: t.TempDir(), Restart: true}
	if err := o.Run(t.Context(), &out); err != nil {
		t.Fatal(err, out.String())
	}
	var want string
	for _, line := range []string{
		`killed in .* s, log .* MB; ready in .* s: .* histories=0 snapshot_bytes=0 .* records=[1-9][0-9]* .*`,
		`terminated in .* s, log .* MB; ready in .* s: .* histories=300 snapshot_bytes=[1-9].* records=[0-9]+ .*`,
		`terminated in .* s, log .* MB; ready in .* s: .* histories=300 snapshot_bytes=[1-9].* records=[0-9]+ .*`,
		`killed in .* s, log .* MB; ready in .* s: .* histories=300 snapshot_bytes=[1-9].* records=[1-9][0-9]* .*`,
	} {
		want += "300 users, " + line + "\n"
	}
	if !regexp.MustCompile("^" + want + "$").MatchString(out.String()) {
		t.Errorf("%s\nwant %s", out.String(), want)
	}
}
