package resp

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dejavu/strategies/strategytest"
)

// run is what a program prints, errors included. A program that there is not leaves the test out.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("left out:", err)
	}
	b, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, b)
	}
	return string(b)
}

const password = "a-token-of-sixteen"

// redis-cli and redis-benchmark, which warn of nothing.
func TestRedisTools(t *testing.T) {
	_, _, address, _ := served(t, password, "", nil)
	_, port, _ := net.SplitHostPort(address)
	cli := func(args ...string) string {
		return run(t, "redis-cli", append([]string{"-p", port, "-a", password, "--no-auth-warning"}, args...)...)
	}
	for _, protocol := range []string{"-2", "-3"} {
		if got := cli(protocol, "SHOW", "ann"+protocol, "2", "a", "b", "c"); got != "a\nb\n" {
			t.Errorf("%q", got)
		}
	}
	if got := cli("-3", "BF.INFO", "ann-3", "SIZE"); got != "106\n" {
		t.Errorf("%q", got)
	}
	got := run(t, "redis-benchmark", "-p", port, "-a", password, "-n", "200", "-c", "3", "-P", "4", "-r", "99", "-q",
		"SHOW", "u__rand_int__", "2", "a", "b", "__rand_int__")
	if !strings.Contains(got, "requests per second") || strings.Contains(got, "rror") || strings.Contains(got, "WARN") {
		t.Error(got)
	}
}

// redis-py, of the machine or else fetched by pip.
func TestRedisPy(t *testing.T) {
	_, _, address, _ := served(t, password, "", nil)
	_, port, _ := net.SplitHostPort(address)
	if err := exec.Command("python3", "-c", "import redis").Run(); err != nil {
		if testing.Short() {
			t.Skip("pip takes its time")
		}
		dir := t.TempDir()
		fetched := exec.Command("python3", "-m", "pip", "install", "-q", "--target", dir, "redis==5.2.1")
		if b, err := fetched.CombinedOutput(); err != nil {
			t.Skipf("left out: redis-py cannot be fetched: %v %.200s", err, b)
		}
		t.Setenv("PYTHONPATH", dir)
	}
	if got := run(t, "python3", "testdata/clients.py", port, password); got != "ok\n" {
		t.Error(got)
	}
}

// Jedis, fetched by Maven.
func TestJedis(t *testing.T) {
	if testing.Short() {
		t.Skip("Maven takes its time")
	}
	_, _, address, _ := served(t, password, "", nil)
	classes := filepath.Join(t.TempDir(), "classes")
	fetch := exec.Command("mvn", "-q", "-B", "-f", "testdata/pom.xml", "dependency:build-classpath",
		"-Dmdep.outputFile="+classes)
	if b, err := fetch.CombinedOutput(); err != nil {
		t.Skipf("left out: Jedis cannot be fetched: %v %.200s", err, b)
	}
	path := strategytest.Value(os.ReadFile(classes))
	if got := run(t, "java", "-cp", string(path), "testdata/Calls.java", address, password); got != "ok\n" {
		t.Error(got)
	}
}
