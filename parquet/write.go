package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// A writer writes the lines of one file after the other.
type writer struct {
	out         *bufio.Writer
	header      []string // nil before the first file
	rows, lines int64
	line        []byte
	clicked     map[string]bool
}

func (w *writer) file(name string, names columns) error {
	file, err := os.Open(name)
	if err != nil {
		return errors.Unwrap(err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("is a directory: name its files")
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file: Parquet is read from its end")
	}
	return w.read(file, info.Size(), names)
}

// read writes the lines of what has so many bytes.
func (w *writer) read(r io.ReaderAt, size int64, names columns) (err error) {
	// The library panics where a file surprises it; what would take the memory is found out before (check).
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("is damaged: %v", p)
		}
	}()
	file := &overlay{ReaderAt: r}
	f, err := open(file, size)
	if err != nil {
		return err
	}
	found, err := names.find(f)
	if err != nil {
		return err
	}
	if err := w.begin(found); err != nil {
		return err
	}
	for i, group := range f.RowGroups() {
		if err := check(file, f, i, found); err != nil {
			return fmt.Errorf("is damaged: group %d of rows: %w", i, err)
		}
		if err := w.group(group, found); err != nil {
			return err
		}
		file.patches = nil
	}
	return nil
}

// begin writes the header, or finds that this file's lines would have another.
func (w *writer) begin(found [5]*column) error {
	header := []string{"user", "article", "time"}
	if found[clicked] != nil {
		header = append(header, "clicked")
	}
	if found[request] != nil || found[article].list && !found[when].list {
		header = append(header, "request")
	}
	switch {
	case w.header != nil && !slices.Equal(w.header, header):
		return fmt.Errorf("its lines have the columns %s, those of the files before %s: a log is of one kind",
			header, w.header)
	case w.header != nil:
		return nil
	case found[when].list && !found[article].list:
		return fmt.Errorf("column %s is a list, and column %s is not", found[when], found[article])
	}
	w.header = header
	_, err := w.out.WriteString(strings.Join(header, ",") + "\n")
	return err
}

// columns are the columns that a reader of what was written has to be told of.
func (w *writer) columns() (more []string) {
	for _, name := range w.header[min(3, len(w.header)):] {
		more = append(more, name+"="+name)
	}
	return more
}

func (w *writer) group(group parquet.RowGroup, found [5]*column) error {
	var cursors [5]*cursor
	for i, c := range found {
		if c != nil {
			cursors[i] = newCursor(c, c.as(i), group)
			defer cursors[i].values.Close()
		}
	}
	for range group.NumRows() {
		for _, c := range cursors {
			if c == nil {
				continue
			}
			if err := c.next(); err != nil {
				return fmt.Errorf("row %d, column %q: %w", w.rows, c.name, err)
			}
		}
		if err := w.row(&cursors); err != nil {
			return fmt.Errorf("row %d: %w", w.rows, err)
		}
		w.rows++
	}
	return nil
}

// row writes the lines of a row: one, or one for each article of a list.
func (w *writer) row(cursors *[5]*cursor) error {
	a, t, k := cursors[article], cursors[when], cursors[clicked]
	if a.list && a.empty() {
		return nil
	}
	among := k != nil && k.list && k.Type().Kind() != parquet.Boolean // the articles that were
	for _, c := range []*cursor{t, k} {
		if c != nil && c.list && !(c == k && among) && len(c.row) != len(a.row) {
			return fmt.Errorf("%d values of %q, and %d of %q", len(c.row), c.name, len(a.row), a.name)
		}
	}
	if among {
		w.mark(k)
	}
	for i := range a.row {
		w.line = w.line[:0]
		w.field(cursors[user].bytes(0))
		w.field(a.bytes(i))
		w.field(t.bytes(i))
		switch {
		case among && w.clicked[string(a.bytes(i))]:
			w.field([]byte("1"))
		case among:
			w.field([]byte("0"))
		case k != nil:
			w.field(k.bytes(i))
		}
		switch r := cursors[request]; {
		case r != nil:
			w.field(r.bytes(0))
		case a.list && !t.list:
			w.field(strconv.AppendInt(nil, w.rows, 10))
		}
		w.line[len(w.line)-1] = '\n'
		w.lines++
		if _, err := w.out.Write(w.line); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) mark(k *cursor) {
	if w.clicked == nil {
		w.clicked = map[string]bool{}
	}
	clear(w.clicked)
	for _, article := range k.row {
		if article != nil {
			w.clicked[string(article)] = true
		}
	}
}

// field appends a field and a comma, with quotes where it needs them.
func (w *writer) field(text []byte) {
	if !bytes.ContainsAny(text, ",\"\r\n") {
		w.line = append(append(w.line, text...), ',')
		return
	}
	w.line = append(w.line, '"')
	w.line = append(w.line, bytes.ReplaceAll(text, []byte{'"'}, []byte(`""`))...)
	w.line = append(w.line, '"', ',')
}
