package logs

import "time"

func (w *Writer) adressa(request []Event) {
	for _, e := range request {
		if e.Kind != Clicked {
			continue
		}
		w.begin()
		if w.odd(5) { // the front page: no article
			w.text(`{"eventId":1,"userId":"`)
			w.number(e.User)
			w.text(`","time":`)
			w.number(uint64(e.Time))
			w.text(`,"url":"http://adressa.no"}`)
			w.end(false)
			w.begin()
		}
		w.text(`{"eventId":`)
		w.number(uint64(w.lines))
		if w.odd(4) {
			w.text(`, "profile": [{"item":"\"}","groups":[{"weight":0.5}]}], "activeTime":null`)
		}
		w.text(`,"city":"oslo","url":"http://adressa.no/nyheter/`)
		w.number(uint64(e.Article))
		w.text(`.ece","region":"oslo","sessionStart":false,"userId":"`)
		w.number(e.User)
		w.text(`","sessionStop":false,"time":`)
		w.number(uint64(e.Time))
		w.text(`,"id":"`)
		w.number(uint64(e.Article))
		w.text(`"}`)
		w.end(false)
	}
}

// header writes the first line of a CSV. KuaiRand's columns stand in its order,
// with those that nobody asks for left out but two.
func (w *Writer) header() {
	c := w.o.Columns
	names := []string{c.User, c.Article, c.Time, c.Clicked, c.Request}
	if w.format == KuaiRand {
		names = []string{c.User, c.Article, "date", "hourmin", c.Time, c.Clicked}
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if len(w.line) > 0 {
			w.comma()
		}
		w.text(name)
	}
}

func (w *Writer) comma() { w.line = append(w.line, w.o.Comma) }

// rows writes the lines of a CSV.
func (w *Writer) rows(request []Event) {
	for _, e := range request {
		w.begin()
		at := time.Unix(e.Time, 0).UTC()
		w.quoted(e.User, w.odd(3))
		w.comma()
		w.quoted(uint64(e.Article), w.odd(4))
		w.comma()
		if w.format == KuaiRand { // date and time of day are those of Beijing
			local := at.Add(8 * time.Hour)
			w.line = local.AppendFormat(w.line, "20060102,1504,")
		}
		switch w.o.Clock {
		case RFC3339:
			w.line = at.AppendFormat(w.line, time.RFC3339)
		case Millis:
			w.number(uint64(e.Time) * 1000)
		default:
			w.number(uint64(e.Time))
		}
		if w.o.Columns.Clicked != "" {
			w.comma()
			switch e.Kind {
			case Clicked, Acted:
				w.text("1")
			case Ignored:
				w.text("0")
			}
		}
		if w.o.Columns.Request != "" {
			w.comma()
			w.number(uint64(w.written))
		}
		if w.odd(7) {
			w.comma()
		}
		w.end(false)
	}
}
