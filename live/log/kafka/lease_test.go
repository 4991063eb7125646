package kafka

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"dejavu/strategies/strategytest"
)

func TestLease(t *testing.T) {
	const session = 10 * time.Second
	began := time.Now()
	at := func(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }
	type answer struct {
		member string
		sent   float64
		err    error
	}
	ok := func(sent float64) answer { return answer{"a", sent, nil} }
	dividing := func(sent float64) answer { return answer{"a", sent, kerr.RebalanceInProgress} }
	for _, c := range []struct {
		name    string
		answers []answer
		until   float64 // it holds; 0: it does not
	}{
		{"nothing", nil, 0},
		{"one", []answer{ok(0)}, 9},
		{"two", []answer{ok(0), ok(3)}, 12},
		{"unknown", []answer{ok(0), {"a", 3, kerr.UnknownMemberID}}, 9},
		{"an old generation", []answer{ok(0), {"a", 3, kerr.IllegalGeneration}}, 9},
		{"a rebalance", []answer{ok(0), dividing(3)}, 12},
		{"a long one", []answer{ok(0), dividing(9), dividing(18)}, 19},
		{"one from the beginning", []answer{dividing(3)}, 0},
		{"after a gap", []answer{ok(0), ok(30)}, 39},
	} {
		var l lease
		for _, a := range c.answers {
			strategytest.ErrorSays(t, c.name, l.renew(a.member, session, at(a.sent), a.err), "")
		}
		strategytest.Equal(t, l.held(at(c.until)) == nil, c.until > 0, "%s: the lease after %v s", c.name, c.until)
		strategytest.Equal(t, l.held(at(c.until+0.01)) == nil, false, "%s: the lease a little later", c.name)
	}
	var l lease
	_ = l.renew("a", session, began, nil)
	strategytest.Equal(t, l.renew("b", session, at(1), nil), errReplaced, "another member")
	strategytest.Equal(t, l.held(at(8.9)) == nil && l.held(at(9.5)) != nil, true, "the lease is the first member's")
	l.leave()
	strategytest.Must(t, l.renew("b", session, at(1), nil), l.held(at(2)))
	slept := since(began.Round(0).Add(-time.Hour), began)
	strategytest.Equal(t, slept, time.Hour, "what has passed by the wall clock, while the machine slept")
}

// short is a group whose sessions may be short.
const short = time.Second

func shortCluster(t testing.TB) (*kfake.Cluster, []string) {
	t.Helper()
	c := strategytest.Value(kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(100*time.Millisecond)))
	t.Cleanup(c.Close)
	return c, c.ListenAddrs()
}

// await waits until is returns true, for ten seconds.
func await(t *testing.T, not string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(not)
		}
	}
}

// A member whose heartbeats are not heard, as if it were stopped, is not sure of what the other is given.
func TestSole(t *testing.T) {
	c, brokers := shortCluster(t)
	a, b := open(t, brokers), open(t, brokers)
	var deaf atomic.Pointer[string]
	goesOn := make(chan struct{})
	c.ControlKey(int16(kmsg.Heartbeat), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		h := r.(*kmsg.HeartbeatRequest)
		if id := deaf.Load(); id == nil || h.MemberID != *id {
			return nil, nil, false
		}
		c.SleepControl(func() { <-goesOn })
		return nil, nil, false
	})
	var fetched atomic.Bool
	c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		fetched.Store(true)
		return nil, nil, false
	})
	owned, says := map[*Log]*atomic.Int64{a: {}, b: {}}, make(chan error, 100) // what a says of itself as b takes over
	join := func(l *Log) {
		count := func(sign int) func(context.Context, []int) {
			return func(_ context.Context, some []int) {
				if l == b && deaf.Load() != nil {
					says <- a.Sole()
				}
				owned[l].Add(int64(sign * len(some)))
			}
		}
		go func() {
			for t.Context().Err() == nil { // an error is of a member that was dropped
				_ = l.Join(t.Context(), short, count(1), count(-1), count(-1))
			}
		}()
	}
	both := func() bool {
		return owned[a].Load() == 2 && owned[b].Load() == 2 && a.Sole() == nil && b.Sole() == nil
	}
	strategytest.Equal(t, a.Sole() != nil, true, "who has not joined is not sure of its partitions")
	join(a)
	join(b)
	await(t, "the members do not share the partitions", both)
	a.lease.mu.Lock()
	id := a.lease.member
	a.lease.mu.Unlock()
	deaf.Store(&id)
	await(t, "the other does not take over", func() bool { return owned[b].Load() == 4 })
	strategytest.Equal(t, <-says != nil, true, "who lost a partition is not sure of it")
	strategytest.Must(t, b.Sole())
	close(goesOn)
	await(t, "the members do not share the partitions again", both)
	strategytest.Equal(t, fetched.Load(), false, "members fetch records")
}

// A lease counts from the sending of a heartbeat. Join reports that the group has silently replaced the member.
func TestReplaced(t *testing.T) {
	c, brokers := shortCluster(t)
	l := open(t, brokers)
	const slow = 100 * time.Millisecond
	var dividing atomic.Bool
	c.ControlKey(int16(kmsg.Heartbeat), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		c.SleepControl(func() { time.Sleep(slow) })
		answer := r.ResponseKind().(*kmsg.HeartbeatResponse)
		answer.Default()
		answer.ErrorCode = kerr.RebalanceInProgress.Code
		return answer, nil, dividing.Load()
	})
	ended := make(chan error)
	taken := make(chan struct{}, 10)
	nothing := func(context.Context, []int) {}
	go func() {
		ended <- l.Join(t.Context(), short, func(context.Context, []int) { taken <- struct{}{} }, nothing, nothing)
	}()
	<-taken
	await(t, "no heartbeat is answered", func() bool { return l.Sole() == nil })
	l.lease.mu.Lock()
	strategytest.AtLeast(t, time.Since(l.lease.sent), slow, "the age of a heartbeat")
	l.lease.mu.Unlock()
	c.ControlKey(int16(kmsg.JoinGroup), func(r kmsg.Request) (kmsg.Response, error, bool) {
		dividing.Store(false)
		answer := r.ResponseKind().(*kmsg.JoinGroupResponse)
		answer.Default()
		answer.ErrorCode = kerr.UnknownMemberID.Code
		return answer, nil, true
	})
	dividing.Store(true)
	strategytest.ErrorSays(t, "the end", <-ended, errReplaced.Error())
	strategytest.Equal(t, l.Sole() != nil, true, "who has left is not sure of its partitions")
}
