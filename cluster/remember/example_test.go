package remember_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"dejavu/cluster/remember"
	"dejavu/strategies"
)

func init() {
	register.Function1x2(refresh)
	register.Function2x0(show)
}

// refresh returns a user's request: two articles were shown, one of them is a candidate again.
func refresh(user string) (string, remember.Request) {
	old, other, fresh := strategies.XXHashString("old"), strategies.XXHashString("other"), strategies.XXHashString("new")
	return user, remember.Request{Shown: []strategies.ID{old, other}, Candidates: []strategies.ID{old, fresh}}
}

func show(user string, a remember.Answer) {
	fmt.Println(user, len(a.Fresh), a.Fresh[0] == strategies.XXHashString("new"))
}

func ExampleRemember() {
	p, s := beam.NewPipelineWithRoot()
	requests := beam.ParDo(s, refresh, beam.Create(s, "Ada"))
	answers, err := remember.Remember(s, remember.Config{Strategy: "chain", Idle: remember.Day}, requests)
	if err != nil {
		log.Fatal(err)
	}
	beam.ParDo0(s, show, answers)
	if _, err := prism.Execute(context.Background(), p); err != nil {
		log.Fatal(err)
	}
	// Output: Ada 1 true
}
