// Command parquet writes the lines of a log that lies in Parquet files, for the commands that read logs:
//
//	go run -C parquet . "$PWD"/events.parquet | go run ./experiments replay -
//
// What comes out is a CSV with the columns user, article and time, and where they are asked for clicked and request. A
// row that lists articles is one request: its lines share a key in the column request. One that lists times beside them
// is as many requests.
//
// The guarantee: a file that is damaged or cut short ends the command with an error that names it. What its sizes claim
// is compared with the bytes that are there, before anything is read for them; a packed page made up to unpack to more
// than it claims takes memory.
//
// The cost: memory is that of a page of each column that is asked for and of its dictionary, some 25 MB with usual
// files; the time is some 400 ns an event.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	switch err := run(os.Stdout, os.Stderr, os.Args[1:]); {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "parquet:", err)
		os.Exit(1)
	}
}

func run(stdout, stderr io.Writer, args []string) error {
	names := columns{"user", "article", "time"}
	flags := flag.NewFlagSet("parquet", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Func("columns", "which `columns` hold what, of user, article, time, clicked and request, "+
		"as user=user_id,article=article_ids_inview; what lies deeper has dots, as event.user", names.parse)
	flags.Usage = func() {
		fmt.Fprint(stderr, "parquet [--columns WHAT=COLUMN,...] FILE...\n\n"+
			"Writes the lines of a log in Parquet files, for 'experiments describe -' and 'experiments replay -'.\n\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("%w", err)
	}
	if flags.NArg() == 0 {
		return errors.New("no file named; --help lists what there is")
	}
	w := &writer{out: bufio.NewWriterSize(stdout, 1<<16)}
	for _, name := range flags.Args() {
		if err := w.file(name, names); err != nil {
			w.out.Flush()
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	hint := ""
	if more := w.columns(); len(more) > 0 {
		hint = "; read them with --columns " + strings.Join(more, ",")
	}
	fmt.Fprintf(stderr, "parquet: %d rows, %d lines%s\n", w.rows, w.lines, hint)
	return nil
}
