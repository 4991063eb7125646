package logs

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies"
)

// log format example

// Toy is an event a line: #toy time|user|article, the time in seconds.
const Toy Format = "toy"

var toySyntax = &syntax{
	format:  Toy,
	matches: func(line []byte, _ *Options) bool { return bytes.HasPrefix(line, []byte("#toy ")) },
	parse:   parseToy,
	write:   writeToy,
}

func parseToy(p *parser, line []byte) (reason string) {
	fields := bytes.Split(bytes.TrimPrefix(line, []byte("#toy ")), []byte("|"))
	if len(fields) != 3 {
		return "not #toy time|user|article"
	}
	at, noTime := p.clock(fields[0], Seconds)
	user, noUser := p.key("user", fields[1])
	article, noArticle := p.key("article", fields[2])
	p.begin()
	p.event(user, strategies.ID(article), at, Shown)
	return cmp.Or(noTime, noUser, noArticle) // with a reason, the event does not count
}

func writeToy(w *Writer, request []Event) {
	for _, e := range request {
		w.begin()
		w.line = fmt.Appendf(w.line, "#toy %d|%d|%d", e.Time, e.User, e.Article)
		w.end(false)
	}
}

// end of the log format example

// A format is one syntax and one line of the list: the toy is named, told from
// the others, read with its faults, and written, plainly and oddly.
func TestToy(t *testing.T) {
	defer func(list []*syntax) { syntaxes = list }(syntaxes)
	syntaxes = append(slices.Clone(syntaxes), toySyntax)

	if f, err := ParseFormat("TOY"); f != Toy || err != nil || !slices.Contains(Formats(), Toy) {
		t.Errorf("ParseFormat is %q, %v; Formats %v", f, err, Formats())
	}
	const text = "#toy 1573776000|7|1\n#toy 1573776000|7|2\n#toy 1573775999|8|1\n"
	want := []Event{{7, 1, 1573776000, 0, Shown, 0}, {7, 2, 1573776000, 1, Shown, 0}, {8, 1, 1573775999, 2, Shown, 0}}
	read := func(text string, o Options) (events []Event, c Counts) {
		t.Helper()
		o.Numbered, o.MaxShare = true, 1
		l, err := New(strings.NewReader(text), "log", o)
		if err != nil {
			t.Fatal(err)
		}
		for request := range l.Requests() {
			events = append(events, request...)
		}
		if err := l.Close(); err != nil || l.Format() != Toy {
			t.Errorf("%q is read as %q, error %v", text, l.Format(), err)
		}
		return events, l.Counts()
	}
	if got, c := read(text, Options{}); !slices.Equal(got, want) || c.Lines != 3 {
		t.Errorf("%+v, %+v; want %+v", got, c, want)
	}
	for _, fault := range []string{"#toy 1|2", "#toy now|7|1", "#toy 1||1", "#toy 1|7|"} {
		if got, c := read(text+fault, Options{}); !slices.Equal(got, want) || c.Faults != 1 {
			t.Errorf("%q: %+v, %+v; want %+v and one fault", fault, got, c, want)
		}
	}
	for _, o := range []WriterOptions{{}, {Odd: true, Malformed: 2}} {
		var b bytes.Buffer
		w, err := NewWriter(&b, Toy, o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if err := w.Write(want[i : i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got, _ := read(b.String(), Options{Format: Toy}); !slices.Equal(got, want) {
			t.Errorf("%q reads as %+v, want %+v", b.String(), got, want)
		}
		if !o.Odd && b.String() != text {
			t.Errorf("wrote %q, want %q", b.String(), text)
		}
	}
}
