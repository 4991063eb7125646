package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// A cursor reads one column of a group of rows, row by row.
type cursor struct {
	*column
	text   text
	values parquet.ColumnChunkValueReader
	buffer [512]parquet.Value
	at, n  int
	row    [][]byte // the values as texts within all, nil where they are null
	all    []byte   // not nil
}

func newCursor(c *column, t text, group parquet.RowGroup) *cursor {
	values := parquet.NewColumnChunkValueReader(group.ColumnChunks()[c.Index()])
	return &cursor{column: c, text: t, values: values, all: []byte{}}
}

// longestRow is how many bytes the values of one row may have.
const longestRow = 64 << 20

// next reads the values of the next row: one null where a list is empty. It is an error where there is no next.
func (c *cursor) next() (err error) {
	c.row, c.all = c.row[:0], c.all[:0]
	for {
		if c.at == c.n {
			c.at = 0
			c.n, err = c.values.ReadValues(c.buffer[:])
		}
		switch {
		case c.at < c.n:
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case len(c.row) == 0:
			return errors.New("it has fewer values than rows")
		default:
			return nil
		}
		v := &c.buffer[c.at]
		if len(c.row) > 0 && v.RepetitionLevel() == 0 {
			return nil
		}
		c.at++
		var field []byte
		if from := len(c.all); !v.IsNull() {
			c.all = c.text(c.all, *v)
			field = c.all[from:]
		}
		if len(c.all) > longestRow {
			return fmt.Errorf("the values of one row have more than %d bytes", longestRow)
		}
		c.row = append(c.row, field)
	}
}

// bytes is the text of the row's i-th value, the only one where the row has no list.
func (c *cursor) bytes(i int) []byte {
	if !c.list {
		i = 0
	}
	return c.row[i]
}

// empty is whether the row's list is empty, or null.
func (c *cursor) empty() bool { return len(c.row) == 1 && c.row[0] == nil }

// A text writes a value, which is not null, as a field has it.
type text func(to []byte, v parquet.Value) []byte

// as is how the column's values are written as what is asked for, nil where its type cannot be that.
func (c *column) as(place int) text {
	switch place {
	case when:
		return c.time()
	case clicked:
		return c.flag()
	}
	return c.text()
}

// text is how the column's values are written as they are: nil where its type is none of a key's.
func (c *column) text() text {
	t := c.Type()
	switch logical := logical(t).(type) {
	case nil, *format.StringType, *format.EnumType, *format.JsonType:
	case *format.IntType:
		switch {
		case logical.IsSigned:
		case t.Kind() == parquet.Int32:
			return func(to []byte, v parquet.Value) []byte { return strconv.AppendUint(to, uint64(v.Uint32()), 10) }
		default:
			return func(to []byte, v parquet.Value) []byte { return strconv.AppendUint(to, v.Uint64(), 10) }
		}
	case *format.UUIDType:
		return func(to []byte, v parquet.Value) []byte {
			b := v.ByteArray()
			if len(b) != 16 {
				return hex.AppendEncode(to, b)
			}
			return fmt.Appendf(to, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		}
	default:
		return nil
	}
	switch t.Kind() {
	case parquet.Int32:
		return func(to []byte, v parquet.Value) []byte { return strconv.AppendInt(to, int64(v.Int32()), 10) }
	case parquet.Int64:
		return func(to []byte, v parquet.Value) []byte { return strconv.AppendInt(to, v.Int64(), 10) }
	case parquet.Float:
		return func(to []byte, v parquet.Value) []byte {
			return strconv.AppendFloat(to, float64(v.Float()), 'f', -1, 32)
		}
	case parquet.Double:
		return func(to []byte, v parquet.Value) []byte { return strconv.AppendFloat(to, v.Double(), 'f', -1, 64) }
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return func(to []byte, v parquet.Value) []byte { return append(to, v.ByteArray()...) }
	}
	return nil
}

// time is how the column's values are written as times: as RFC 3339 where the type says
// what they are, and else as they are, for the reader of the log to find out.
func (c *column) time() text {
	t := c.Type()
	switch logical := logical(t).(type) {
	case *format.TimestampType:
		unit := time.Nanosecond
		if u := logical.Unit.Value; u != nil {
			unit = u.Duration()
		}
		each := int64(time.Second / unit)
		return func(to []byte, v parquet.Value) []byte {
			return moment(to, v.Int64()/each, v.Int64()%each*int64(unit))
		}
	case *format.DateType:
		return func(to []byte, v parquet.Value) []byte { return moment(to, int64(v.Int32())*86400, 0) }
	}
	if t.Kind() == parquet.Int96 {
		return func(to []byte, v parquet.Value) []byte { return old(to, v.Int96()) }
	}
	return c.text()
}

// old is the time that an INT96 is: nanoseconds of a day, and the day's Julian number.
func old(to []byte, v deprecated.Int96) []byte {
	const epoch = 2440588 // the Julian day of 1970-01-01
	nanos := int64(uint64(v[1])<<32 | uint64(v[0]))
	return moment(to, (int64(v[2])-epoch)*86400+nanos/1e9, nanos%1e9)
}

// moment is a time with a year of four digits, as a log may have it; any other is its
// number of seconds, in which the reader will find fault.
func moment(to []byte, seconds, nanos int64) []byte {
	const first, last = -62167219200, 253402300799 // the years 0 to 9999
	if seconds < first || seconds > last {
		return strconv.AppendInt(to, seconds, 10)
	}
	return time.Unix(seconds, nanos).UTC().AppendFormat(to, time.RFC3339Nano)
}

// flag writes whether something was: 1 or 0 for what is or is not, and what else there is as it is.
func (c *column) flag() text {
	if c.Type().Kind() != parquet.Boolean {
		return c.text()
	}
	return func(to []byte, v parquet.Value) []byte {
		if v.Boolean() {
			return append(to, '1')
		}
		return append(to, '0')
	}
}

func logical(t parquet.Type) format.LogicalTypeValue {
	if l := t.LogicalType(); l != nil {
		return l.Value
	}
	return nil
}
