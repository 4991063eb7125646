package resp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"dejavu/live/layout"
	"dejavu/strategies/strategytest"
)

// fetch runs a command, or skips the test if it fails, as without a network.
func fetch(t *testing.T, words ...string) {
	t.Helper()
	if b, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Skipf("left out: %q: %v %.200s", words, err, b)
	}
}

// run returns a program's output and errors. It skips the test if there is no such program.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("left out:", err)
	}
	b, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	strategytest.ErrorSays(t, name+": "+string(b), err, "")
	return string(b)
}

// redis-cli and redis-benchmark, which warn of nothing.
func TestRedisTools(t *testing.T) {
	_, _, address, _ := served(t, token, "", nil)
	_, port, _ := net.SplitHostPort(address)
	cli := func(args ...string) string {
		return run(t, "redis-cli", append([]string{"-p", port, "-a", token, "--no-auth-warning"}, args...)...)
	}
	for _, protocol := range []string{"-2", "-3"} {
		strategytest.Equal(t, cli(protocol, "SHOW", "ann"+protocol, "2", "a", "b", "c"), "a\nb\n", "shown")
	}
	strategytest.Equal(t, cli("-3", "BF.INFO", "ann-3", "SIZE"), "Size 106\n", "the size")
	got := run(t, "redis-benchmark", "-p", port, "-a", token, "-n", "200", "-c", "3", "-P", "4", "-r", "99", "-q",
		"SHOW", "u__rand_int__", "2", "a", "b", "__rand_int__")
	if !strings.Contains(got, "requests per second") || strings.Contains(got, "rror") || strings.Contains(got, "WARN") {
		t.Error(got)
	}
}

// redis-py's own tests of the Bloom module, fetched by pip, but for what docs/live-inside.md says is missing.
func TestRedisPy(t *testing.T) {
	if testing.Short() {
		t.Skip("pip takes its time")
	}
	_, _, address, _ := served(t, "", "limit: 200", nil, layout.Choice{Name: "beyond/matrix", Window: 1000, FPR: 0.01})
	dir := t.TempDir()
	t.Chdir(dir)
	for _, command := range []string{
		"python3 -m pip install -q --target with redis==8.1.0 pytest pytest-asyncio numpy",
		"python3 -m pip download -q --no-deps --no-binary redis redis==8.1.0", "tar -xzf redis-8.1.0.tar.gz",
	} {
		fetch(t, strings.Fields(command)...)
	}
	t.Setenv("PYTHONPATH", dir+"/with")
	t.Chdir("redis-8.1.0")
	for _, protocol := range []string{"2", "3"} {
		got := run(t, "python3", "-m", "pytest", "-q", "--protocol", protocol, "--redis-url", "redis://"+address,
			"--redis-mod-url", "redis://"+address, "tests/test_bloom.py", "-k", "bf_add or bf_insert or bf_card")
		strategytest.Equal(t, strings.Contains(got, "3 passed"), true, "with protocol %s: %s", protocol, got)
	}
}

// Jedis, fetched by Maven.
func TestJedis(t *testing.T) {
	if testing.Short() {
		t.Skip("Maven takes its time")
	}
	_, _, address, _ := served(t, token, "", nil)
	classes := filepath.Join(t.TempDir(), "classes")
	fetch(t, "mvn", "-q", "-B", "-f", "testdata/pom.xml", "dependency:build-classpath", "-Dmdep.outputFile="+classes)
	path := strategytest.Value(os.ReadFile(classes))
	strategytest.Equal(t, run(t, "java", "-cp", string(path), "testdata/Calls.java", address, token), "ok\n", "Jedis")
}

// warnings receives go-redis's log.
type warnings struct{ t *testing.T }

func (w warnings) Printf(_ context.Context, format string, v ...any) {
	w.t.Errorf("go-redis warns: "+format, v...)
}

// go-redis, in both versions of the protocol, with TLS and the token.
func TestGoRedis(t *testing.T) {
	test := httptest.NewUnstartedServer(nil)
	test.StartTLS()
	defer test.Close()
	secure := &tls.Config{Certificates: test.TLS.Certificates, MinVersion: tls.VersionTLS12}
	_, _, address, _ := served(t, token, "", secure)
	pool := x509.NewCertPool()
	pool.AddCert(test.Certificate())
	redis.SetLogger(warnings{t})
	ctx := t.Context()
	for _, protocol := range []int{2, 3} {
		c := redis.NewClient(&redis.Options{
			Addr: address, Protocol: protocol, Password: token, TLSConfig: &tls.Config{RootCAs: pool}, MaxRetries: -1,
		})
		key := fmt.Sprint("key", protocol)
		shown := strategytest.Value(c.Do(ctx, "SHOW", "ann", 1, "a"+key, "b"+key).StringSlice())
		strategytest.EqualSlices(t, shown, []string{"a" + key}, "shown")
		pipe := c.Pipeline()
		first, second := pipe.Do(ctx, "SHOW", key, 1, "a", "b"), pipe.Do(ctx, "SHOW", key, 2, "a", "b")
		strategytest.Value(pipe.Exec(ctx))
		strategytest.Equal(t, fmt.Sprint(first.Val(), second.Val()), "[a] [b]", "shown in a pipeline")
		one, many := c.BFAdd(ctx, key, "x").Val(), c.BFMAdd(ctx, key, "x", "y").Val()
		is, info := c.BFMExists(ctx, key, "y", "z").Val(), strategytest.Value(c.BFInfo(ctx, key).Result())
		got := fmt.Sprint(one, many, is, info.Capacity, info.Size)
		strategytest.Equal(t, got, "true [false true] [true false] 401 106", "answers")
		strategytest.Must(t, c.BFReserve(ctx, "new", 0.1, 300).Err(), c.Do(ctx, "CLIENT", "SETNAME", "me").Err(),
			c.Info(ctx).Err(), c.Command(ctx).Err())
		_, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Do(ctx, "RECORD", key, "in MULTI").Err() })
		strategytest.ErrorSays(t, "MULTI", err, "EXECABORT nothing was carried out: there are no transactions")
		strategytest.Equal(t, fmt.Sprint(c.Do(ctx, "SEEN", key, "in MULTI").Val()), "[0]", "what was recorded in MULTI")
		c.Close()
	}
}
