package logs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dejavu/workload/logs"
)

// A request longer than memory should be comes in pieces of 65536 events, however the file was cut into
// blocks: that depends on the lines before it and on the number of workers.
func TestPieces(t *testing.T) {
	const most = 1 << 16
	for _, n := range []int{most - 1, most, most + 1, 2*most + 9} {
		var want []int
		for left := n; left > 0; left -= most {
			want = append(want, min(left, most))
		}
		for _, long := range []int{0, 3 << 20} { // of the line before, which makes a block larger
			for _, workers := range []int{1, 3} {
				var text strings.Builder
				text.WriteString("user,article,time,request\n")
				fmt.Fprintf(&text, "1,%s7,1573776000,a\n", strings.Repeat("0", long))
				for i := range n {
					fmt.Fprintf(&text, "2,%d,1573776001,b\n", i)
				}
				text.WriteString("2,0,1573776002,c\n")
				l, err := logs.New(
					strings.NewReader(text.String()), "log",
					logs.Options{Format: logs.CSV, Columns: logs.Columns{Request: "request"}, Workers: workers, MaxShare: 1},
				)
				if err != nil {
					t.Fatal(err)
				}
				var got []int
				for events := l.NextRequest(); len(events) > 0; events = l.NextRequest() {
					got = append(got, len(events))
				}
				if err := l.Err(); err != nil {
					t.Fatal(err)
				}
				l.Close()
				if long == 0 { // the line before can be read
					got = got[1:]
				}
				if want := append(slices.Clone(want), 1); !slices.Equal(got, want) {
					t.Errorf(
						"%d events, %d workers, after a line of %d bytes: %d pieces, from %v on, want %v", n,
						workers, long, len(got), got[:min(len(got), 5)], want,
					)
				}
			}
		}
	}
}
