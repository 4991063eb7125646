// Command parquet writes the lines of a log that lies in Parquet files, for the commands that read logs:
//
//	go run -C parquet . "$PWD"/events.parquet | go run ./experiments replay --columns clicked=clicked,request=request -
//
// What comes out is a CSV with the columns user, article, time, clicked and request. A row that lists articles is one
// request: its lines share a key in the column request. One that lists times beside them is as many. Rows without a
// user and articles that are null are left out and counted. A file that is damaged or cut short ends the command with
// an error that names it, where the damage can be seen; one made up to do harm may take memory.
//
// The cost is some 400 ns an event, and the memory of a page and a dictionary of each column, some 30 MB as a rule.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"dejavu/workload/logs"
	"dejavu/workload/logs/decision"
)

func main() {
	if err := run(os.Stdout, os.Stderr, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "parquet:", err)
		os.Exit(1)
	}
}

func run(stdout, stderr io.Writer, args []string) error {
	var asked decision.Columns
	flags := flag.NewFlagSet("parquet [--columns WHAT=COLUMN,...] FILE...", flag.ExitOnError)
	flags.Func("columns", "the `columns` of user, article, time, clicked and request, such as "+
		"user=user_id,article=article_ids_inview; a nested column is written with dots, such as event.user",
		func(text string) error { return parse(&asked, text) })
	if _ = flags.Parse(args); flags.NArg() == 0 {
		return errors.New("no file named; --help lists the flags")
	}
	w := &writer{csv: csv.NewWriter(bufio.NewWriterSize(stdout, 1<<16))}
	defer w.csv.Flush()
	_ = w.csv.Write(what[:]) // an error stays with the writer
	for _, name := range flags.Args() {
		read := asked
		if err := w.file(name, &read); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(stderr, "parquet: %s: %+v\n", name, read)
	}
	w.csv.Flush()
	fmt.Fprintf(stderr, "parquet: %d rows, %d lines; left out are %d rows without a user and %d null articles and empty "+
		"lists (--columns may name others); read the lines with --columns clicked=clicked,request=request\n",
		w.rows, w.lines, w.noUser, w.noArticle)
	return w.csv.Error()
}

// A writer writes the lines of one file after the other.
type writer struct {
	csv               *csv.Writer
	rows, lines       int64
	noUser, noArticle int64       // rows, and articles
	columns           [5]column   // of the file at hand
	values            [5][]string // of the row
	record            []string    // of the line
}

// file writes the lines of a file, and completes the names of the columns that it asks for. What is packed
// is unpacked in memory, as the library reads here and there.
func (w *writer) file(name string, asked *decision.Columns) error {
	file, err := os.Open(name)
	if err != nil {
		return errors.Unwrap(err)
	}
	defer file.Close()
	plain, done, isPacked, err := logs.Unpack(file)
	if err != nil {
		return err
	}
	defer done()
	if isPacked {
		all, err := io.ReadAll(plain)
		return cmp.Or(err, w.read(bytes.NewReader(all), int64(len(all)), asked))
	}
	size, _ := file.Seek(0, io.SeekEnd) // a pipe has none, and says so when it is read
	return w.read(file, size, asked)
}

func (w *writer) read(r io.ReaderAt, size int64, asked *decision.Columns) (err error) {
	defer func() {
		if p := recover(); p != nil { // the library panics where a file surprises it
			err = fmt.Errorf("is damaged: %v", p)
		}
	}()
	f, err := open(r, size)
	if err != nil {
		return fmt.Errorf("is not a whole Parquet file: %w", err)
	}
	if w.columns, err = find(f.Schema(), asked); err != nil {
		return err
	}
	for i, group := range f.RowGroups() {
		var chunks []parquet.ColumnChunk
		for _, c := range w.columns {
			if c.text != nil {
				chunks = append(chunks, chunkOf(f, r, i, c.index))
			}
		}
		rows := parquet.NewColumnChunkRowReader(chunks)
		n, err := parquet.CopyRows(w, rows)
		rows.Close()
		if err == nil && n != group.NumRows() {
			err = fmt.Errorf("group %d of rows has %d, where it claims %d", i, n, group.NumRows())
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", w.rows, err)
		}
	}
	return nil
}

// WriteRows writes the lines of rows.
func (w *writer) WriteRows(rows []parquet.Row) (n int, err error) {
	for ; n < len(rows) && err == nil; n++ {
		err = w.row(rows[n])
	}
	return n, err
}

// row writes the lines of a row, one for each article. The row has the values of one column after the other, the first
// of each with the level of repetition 0; an empty list has one value, which is null.
func (w *writer) row(row parquet.Row) error {
	w.rows++
	v := &w.values
	for i, c := range w.columns {
		v[i] = v[i][:0]
		for c.text != nil && len(row) > 0 && (len(v[i]) == 0 || row[0].RepetitionLevel() > 0) {
			text := ""
			if !row[0].IsNull() {
				text = c.text(row[0])
			}
			v[i], row = append(v[i], text), row[1:]
		}
		switch {
		case c.text == nil:
			v[i] = append(v[i], "")
		case len(v[i]) == 0:
			return fmt.Errorf("is damaged: the %s has fewer values than there are rows", what[i])
		}
	}
	if v[user][0] == "" {
		w.noUser++
		return nil
	}
	each, answer, key := w.columns[when], w.columns[clicked], v[request][0]
	isNamed := answer.isList && !answer.isBool // the articles that were clicked, and no answer for each
	for i, text := range v[article] {
		if text == "" {
			w.noArticle++
			continue
		}
		n, times, answers := len(v[article]), len(v[when]), len(v[clicked])
		if each.isList && times != n || answer.isList && !isNamed && answers != n {
			return fmt.Errorf("it has %d articles, %d times and %d answers", n, times, answers)
		}
		told := v[clicked][min(i, answers-1)]
		if isNamed {
			told = strconv.FormatBool(slices.Contains(v[clicked], text))
		}
		if w.columns[request].text == nil && (i == 0 || each.isList) {
			key = strconv.FormatInt(w.lines, 10)
		}
		w.record = append(w.record[:0], v[user][0], text, v[when][min(i, times-1)], told, key)
		_ = w.csv.Write(w.record)
		w.lines++
	}
	return w.csv.Error()
}
