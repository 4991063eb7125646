package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
)

// The exit statuses.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUsage     = 2
	exitInterrupt = 130
)

// All that runs, unless a test replaces it.
var (
	experiments = suite.All
	entries     = catalogue.All()
)

// A process holds a command's arguments, its outputs, and the words that may begin its command line: commands and
// experiments.
type process struct {
	args           []string
	stdout, stderr io.Writer
	words          []string
}

func given(parsed *kong.Context) (flags []*kong.Flag) {
	for _, p := range parsed.Path {
		if p.Flag != nil {
			flags = append(flags, p.Flag)
		}
	}
	return flags
}

// unknown returns the error for an unknown word. kong suggests known ones, as commands.
func unknown(name string, known []string) error {
	var commands []kong.Option
	for _, word := range known {
		commands = append(commands, kong.DynamicCommand(word, "", "", new(struct{})))
	}
	_, err := kong.Must(new(struct{}), commands...).Parse([]string{name}) // nil of a command in an experiment's place
	suggestion := ""
	if _, guess, found := strings.Cut(fmt.Sprint(err), ", did you mean "); found {
		suggestion = ", did you mean " + guess
	}
	return fmt.Errorf("unknown command or experiment %q%s; 'list' lists the experiments", name, suggestion)
}

// A size is a number of bytes on the command line: "12GiB", "500MB".
type size struct {
	bytes int64
	typed string
}

// UnmarshalText reads a number and a unit.
func (s *size) UnmarshalText(given []byte) (err error) {
	s.typed = string(given)
	s.bytes, err = usage.Bytes(s.typed)
	return err
}

// summaryColumns fit on every terminal.
const summaryColumns = 80

// show prints blocks that fit the terminal.
func show(w io.Writer, blocks ...document.Block) error {
	_, err := io.WriteString(w, document.Terminal(columns(w), blocks...))
	return err
}

// columns returns the terminal's width, or else $COLUMNS or a width that every terminal has.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return summaryColumns
}
