package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/cluster/remember"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// start runs a script that starts a server at a port, and stops it in the end.
func start(t *testing.T, script, port string) string {
	t.Helper()
	run := func(args ...string) (string, error) {
		cmd := exec.Command(script, args...)
		cmd.Env, cmd.Stderr = append(os.Environ(), "PORT="+port), os.Stderr
		printed, err := cmd.Output()
		return strings.TrimSpace(string(printed)), err
	}
	address, err := run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 3 {
		t.Skip("left out: there is no Java or Maven")
	}
	strategytest.Must(t, err)
	t.Cleanup(func() { _, _ = run("stop") })
	return address
}

func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "stream")
	if printed, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	return program
}

// Without a broker the example ends with status 1, and says what to do.
func TestNoBroker(t *testing.T) {
	printed, err := exec.Command(build(t), "--kafka.brokers", "localhost:1").CombinedOutput()
	strategytest.ErrorSays(t, "the program", err, "exit status 1")
	if !strings.Contains(string(printed), "kafka/start.sh starts a broker here") {
		t.Errorf("it says %s", printed)
	}
}

// The example answers on the Kafka and the Flink that the scripts start: what was shown is not fresh, in whichever
// request it comes, until the user is forgotten. SIGINT ends it.
func TestStream(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers take their time")
	}
	brokers, server := start(t, "../../kafka/start.sh", "9492"), start(t, "../../flink/start.sh", "8499")
	job := exec.Command(build(t), "--kafka.brokers", brokers, "--kafka.create", "2", "--endpoint", server,
		"--flink_rest", "localhost:8500")
	var said strings.Builder
	job.Stderr = &said
	strategytest.Must(t, job.Start())
	ended := make(chan error, 1)
	go func() { ended <- job.Wait() }()
	client := strategytest.Value(kgo.NewClient(kgo.SeedBrokers(brokers), kgo.DefaultProduceTopic("requests"),
		kgo.ConsumeTopics("answers"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.UnknownTopicRetries(-1)))
	defer client.Close()
	for i, c := range []struct {
		request remember.Request
		fresh   string
	}{
		{remember.Request{Shown: []strategies.ID{7}, Candidates: []strategies.ID{7, 8}}, "[8]"},
		{remember.Request{Shown: []strategies.ID{8}, Candidates: []strategies.ID{9, 7, 8}}, "[9]"},
		{remember.Request{Forget: true, Candidates: []strategies.ID{7, 8}}, "[7 8]"},
	} {
		c.request.ID = fmt.Sprint(i)
		value := strategytest.Value(json.Marshal(c.request))
		strategytest.Must(t, client.ProduceSync(t.Context(), &kgo.Record{Key: []byte("ann"), Value: value}).FirstErr())
		var got remember.Answer
		for got.ID != c.request.ID {
			select {
			case err := <-ended:
				t.Fatalf("the job has ended: %v: %s", err, said.String())
			default:
			}
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			for _, r := range client.PollRecords(ctx, 1).Records() {
				strategytest.Must(t, json.Unmarshal(r.Value, &got))
			}
			stop()
		}
		strategytest.Equal(t, fmt.Sprint(got.Fresh), c.fresh, "request %d: fresh are", i)
	}
	strategytest.Must(t, job.Process.Signal(syscall.SIGINT))
	select {
	case err := <-ended:
		strategytest.Must(t, err)
		if strings.Contains(said.String(), "may go on") {
			t.Errorf("the job is not cancelled: %s", said.String())
		}
	case <-time.After(30 * time.Second):
		t.Error("SIGINT does not end the job")
		_ = job.Process.Kill()
	}
}
