package ship

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/results/by"
)

// measured is the time of a request, by no way yet.
var measured = of(results.QRequestTime, median)

// of is a quantity of every history.
func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Ship).Of(results.Any)
}

// atSizes are the sizes as the dimension Candidates has them.
var atSizes = func() (values []string) {
	for _, size := range sizes {
		values = append(values, strconv.Itoa(size))
	}
	return values
}()

// bytesTable is the bytes of both ways.
var bytesTable = text.Table{
	Title: "Ship the history or ask for the candidates: bytes of request and answer, " +
		"of asking by the number of candidates",
	Lines: of(results.QBreakEven),
	Columns: slices.Concat(
		[]text.Column{
			text.Strategy(),
			text.Cell("shipped, any number", of(results.QBytes, shipped, by.Candidates.Is(atSizes[0])), text.Of),
		},
		text.Along(by.Candidates, atSizes, of(results.QBytes, asked), text.Of),
		[]text.Column{text.Cell("shipping takes fewer from", of(results.QBreakEven), text.Of)}),
}

// timesTable is the times of both ways over the machine's own network.
var timesTable = text.Table{
	Heading: func(c results.Cells) string {
		trip, _ := c.One(of(results.QRoundTrip).Of(""))
		return "A request over the loopback of one machine, by candidates: shipped / asked (asked over shipped " +
			"within a turn); a newcomer's, for nothing: " + text.Of(trip)
	},
	Lines: of(results.QTimeRatio, by.Candidates.Is(atSizes[0])),
	Columns: each(text.Strategy(), atSizes, func(size string) text.Column {
		at := by.Candidates.Is(size)
		return ways(size, measured.With(at), of(results.QTimeRatio, at))
	}),
}

// modelTable is the time of the bytes on each network.
var modelTable = text.Table{
	Title: "The same over a network, by arithmetic: a round trip and the bytes, shipped / asked",
	Lines: measured.With(shipped, by.Candidates.Open()),
	Columns: append([]text.Column{text.Strategy()},
		each(text.Condition("candidates", by.Candidates), wires, func(n network) text.Column {
			return ways(n.name, of(results.QRequestTime, by.Network.Is(n.name), by.Candidates.Open()))
		})...),
}

// Real is the chain's bytes and times by the exposure service of the module live, beside
// those of this experiment's own wire.
var Real = text.Table{
	Title: "A chain's history for real: bytes, and times between two processes of one machine, " +
		"shipped / asked (live, `go run . rows`)",
	Lines: of(results.QBytes, shipped, by.Candidates.Open(), by.Protocol.Is("Connect")).Of("chain"),
	Columns: append(
		each(text.Condition("candidates", by.Candidates), protocols, func(protocol string) text.Column {
			return real("bytes", protocol, of(results.QBytes))
		}),
		each(real("time", "", measured), protocols[1:], func(protocol string) text.Column {
			return real("time", protocol, measured)
		})...),
}

// real is what a request of a chain takes by a protocol.
func real(what, protocol string, q results.Query) text.Column {
	header := what + ", " + cmp.Or(protocol, "plain TCP")
	q = q.With(by.Protocol.Is(protocol), by.Candidates.Open())
	if protocol == "Redis" { // which is asked for histories, and never about candidates
		return text.Cell(header, q.With(shipped), text.Of)
	}
	return ways(header, q)
}

// protocols are those of the service; the first is this experiment's own, without it.
var protocols = []string{"", "Connect", "gRPC", "Redis"}

// each is a first column, and one for each of the values.
func each[V any](first text.Column, values []V, column func(V) text.Column) []text.Column {
	columns := []text.Column{first}
	for _, v := range values {
		columns = append(columns, column(v))
	}
	return columns
}

// ways is a column of what is found where histories are shipped and where candidates are
// asked for, and of the ratio of both where there is one.
func ways(header string, q results.Query, ratio ...results.Query) text.Column {
	return text.Column{
		Header: header, Queries: append([]results.Query{q.With(shipped), q.With(asked)}, ratio...),
		Show: func(r ...results.Row) string {
			s := text.Of(r[0])
			if r[1].Quantity != "" {
				s += " / " + text.Of(r[1])
			}
			if len(r) > 2 {
				s += fmt.Sprintf(" (%.2f, %.2f to %.2f)", r[2].Value.Or(0), r[2].Low.Or(0), r[2].High.Or(0))
			}
			return s
		},
	}
}
