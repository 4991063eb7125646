package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"dejavu/workload/logs/decision"
)

// What columns hold, by their places.
const (
	user = iota
	article
	when
	clicked
	request
)

var _, what = new(decision.Columns).Places()

func parse(asked *decision.Columns, text string) error {
	columns, _ := asked.Places()
	for part := range strings.SplitSeq(text, ",") {
		of, name, _ := strings.Cut(part, "=")
		i := slices.Index(what[:], of)
		if i < 0 || name == "" {
			return fmt.Errorf("%q, want WHAT=COLUMN, of user, article, time, clicked and request", part)
		}
		*columns[i] = name
	}
	return nil
}

// A column is one that a log takes values from; without a text it is not asked for.
type column struct {
	index          int
	text           func(parquet.Value) string
	isList, isBool bool // a row has any number of values; they are true or false
}

// listed drops what writers call the levels between a list and what it holds.
var listed = strings.NewReplacer(".list.element", "", ".list.item", "", ".bag.array_element", "", ".bag.array", "")

// find is the columns that are asked for, or have the usual names, in their places. It completes their names.
func find(schema *parquet.Schema, asked *decision.Columns) (found [5]column, err error) {
	var sample decision.Sample
	paths := schema.Columns()
	for _, path := range paths {
		sample.Names = append(sample.Names, listed.Replace(strings.Join(path, ".")))
	}
	if err := sample.Choose(asked); err != nil {
		return found, err
	}
	columns, _ := asked.Places()
	for i, name := range columns {
		if *name == "" {
			continue
		}
		leaf, _ := schema.Lookup(paths[slices.Index(sample.Names, *name)]...)
		t, depth := leaf.Node.Type(), leaf.MaxRepetitionLevel
		found[i] = column{leaf.ColumnIndex, textOf(t), depth > 0, t.Kind() == parquet.Boolean}
		if found[i].text == nil || depth > 1 || depth > 0 && (i == user || i == request) {
			return found, fmt.Errorf("column %s (%s) cannot be the %s: want numbers, text or times, no lists of lists, and "+
				"of users and requests no lists; --columns names others of %q", *name, t, what[i], sample.Names)
		}
	}
	return found, nil
}

// textOf is how the values of a type are written, nil where they are none of what a log has: times as RFC 3339 where
// the type says what they are, and else as they are, for the reader of the log to judge.
func textOf(t parquet.Type) func(v parquet.Value) string {
	switch l := cmp.Or(t.LogicalType(), new(format.LogicalType)).Value.(type) {
	case *format.TimestampType:
		unit := int64(l.Unit.Value.Duration())
		each := int64(time.Second) / unit
		return func(v parquet.Value) string { return moment(v.Int64()/each, v.Int64()%each*unit) }
	case *format.DateType:
		return func(v parquet.Value) string { return moment(int64(v.Int32())*86400, 0) }
	case *format.UUIDType:
		return func(v parquet.Value) string { return uuid.UUID(v.ByteArray()).String() }
	case *format.IntType:
		if !l.IsSigned {
			return func(v parquet.Value) string { return strconv.FormatUint(v.Uint64(), 10) }
		}
	case nil, *format.StringType, *format.EnumType, *format.JsonType:
	default:
		return nil
	}
	switch t.Kind() {
	case parquet.Int96: // nanoseconds of a day, and the day's number, which is 2440588 on 1970-01-01
		return func(v parquet.Value) string {
			i := v.Int96()
			return moment((int64(i[2])-2440588)*86400, int64(i[1])<<32|int64(i[0]))
		}
	case parquet.Float, parquet.Double: // without an exponent, as keys are; pandas has NaN for what is missing
		return func(v parquet.Value) string {
			x, _ := strconv.ParseFloat(v.String(), 64)
			return strings.TrimPrefix(strconv.FormatFloat(x, 'f', -1, 64), "NaN")
		}
	}
	return parquet.Value.String
}

func moment(seconds, nanos int64) string {
	return time.Unix(seconds, nanos).UTC().Format(time.RFC3339Nano)
}
