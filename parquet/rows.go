package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A cursor reads one column of a group of rows, row by row.
type cursor struct {
	*column
	text   text
	values parquet.ColumnChunkValueReader
	buffer [512]parquet.Value
	at, n  int

	row []field
	all []byte // of the row's values
}

// A field is a value of a row as a text within all.
type field struct {
	from, to int
	null     bool
}

// newCursor is before the first row of a group.
func newCursor(c *column, t text, group parquet.RowGroup) *cursor {
	return &cursor{column: c, text: t, values: parquet.NewColumnChunkValueReader(group.ColumnChunks()[c.Index()])}
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
		from := len(c.all)
		if !v.IsNull() {
			c.all = c.text(c.all, *v)
		}
		if len(c.all) > longestRow {
			return fmt.Errorf("the values of one row have more than %d bytes", longestRow)
		}
		c.row = append(c.row, field{from, len(c.all), v.IsNull()})
	}
}

// bytes is the text of the row's i-th value, the only one where the row has no list.
func (c *cursor) bytes(i int) []byte {
	if !c.list {
		i = 0
	}
	f := c.row[i]
	return c.all[f.from:f.to]
}

// empty is whether the row's list is empty, or null.
func (c *cursor) empty() bool { return len(c.row) == 1 && c.row[0].null }
