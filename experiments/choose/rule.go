package choose

import (
	"cmp"
	"fmt"

	"dejavu/experiments/text"
)

// Rule states how Pick chooses, in the sentence that the program, the page and README.md state.
const Rule = "Take the smallest strategy that keeps window and rate for ever, unless one of at most 1.25 times its " +
	"bytes takes at most half its time per request."

// Request describes the request whose time is given.
const Request = "A request queries 40 candidates and records 10 of them, with the history in the processor's cache."

// A Summary holds what the rule compares, and what people read first of a strategy.
type Summary struct {
	Name    string
	History int // bytes of the longest history
	Average int // and of a history on average over a rotation
	User    int // bytes with what the store keeps
	Time    Time
	Near    bool // the time holds at this size
}

// Pick applies Rule to strategies in any order. It returns the index of the one to take, and of the runner-up: the
// smallest of the others that is not known to be both larger and slower. An index is -1 if there is none.
func Pick(all []Summary) (take, runnerUp int) {
	best := func(ok func(s Summary) bool, less func(a, b Summary) int) int {
		best := -1
		for i, s := range all {
			if ok(s) && (best < 0 || less(s, all[best]) < 0) {
				best = i
			}
		}
		return best
	}
	bySize := func(a, b Summary) int { return cmp.Compare(a.User, b.User) }
	byTime := func(a, b Summary) int { return cmp.Or(cmp.Compare(a.Time.Request, b.Time.Request), bySize(a, b)) }
	smallest := best(func(Summary) bool { return true }, bySize)
	if smallest < 0 {
		return -1, -1
	}
	take = best(func(s Summary) bool {
		small := all[smallest]
		return float64(s.User) <= 1.25*float64(small.User) && s.Near && small.Near &&
			2*s.Time.Request <= small.Time.Request
	}, byTime)
	if take < 0 {
		take = smallest
	}
	runnerUp = best(func(s Summary) bool {
		taken := all[take]
		slower := s.Time.Request > 0 && taken.Time.Request > 0 && s.Time.Request >= taken.Time.Request
		return s != taken && (s.User < taken.User || !slower)
	}, bySize)
	return take, runnerUp
}

// BytesText writes the bytes of the longest history, and of one on average over a rotation if that differs.
func BytesText(longest, average int) string {
	if average == longest {
		return fmt.Sprintf("%d B", longest)
	}
	return fmt.Sprintf("%d B (%d on average)", longest, average)
}

// Sentence names the strategy to take, the runner-up, and what each costs. A runner-up without a name is none.
func Sentence(take, runnerUp Summary) string {
	cost := func(s Summary) string {
		bytes := s.Name + ": " + BytesText(s.History, s.Average) + " a user"
		switch {
		case s.Near:
			return bytes + " and " + text.Nanos(s.Time.Request) + " a request"
		case s != take && s.Time.Request > 0 && s.Time.Request < take.Time.Request:
			return bytes + ", and faster at 400 articles and 2 %"
		}
		return bytes
	}
	if runnerUp.Name == "" {
		return fmt.Sprintf("Take %s. No other that fits is smaller or faster.", cost(take))
	}
	return fmt.Sprintf("Take %s. The runner-up is %s.", cost(take), cost(runnerUp))
}

// Recommended returns the offer to take by Rule, and the runner-up, among those that fit. Fixed capacities count only
// if nothing that fits keeps its window for ever. An offer that does not fit stands for none.
func Recommended(all []Offer) (take, runnerUp Offer) {
	for _, endless := range []bool{false, true} {
		var some []Offer
		var summaries []Summary
		for _, o := range all {
			if o.Fits && o.kind.endless == endless {
				some, summaries = append(some, o), append(summaries, o.summary())
			}
		}
		t, r := Pick(summaries)
		if t < 0 {
			continue
		}
		if take = some[t]; r >= 0 {
			runnerUp = some[r]
		}
		return take, runnerUp
	}
	return take, runnerUp
}

func (o Offer) history() int { return o.Payload + o.Header }

func (o Offer) summary() Summary {
	return Summary{short(o.Strategy), o.history(), o.Average, o.User, o.time, o.Request > 0}
}
