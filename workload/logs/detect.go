package logs

import (
	"bytes"
	"errors"
	"fmt"
)

// meet finds out how to read a file by its first line that is not blank, which
// lies in the block. A header is taken out of the block. Where all lines are
// blank, the layout stays unknown. Files after the first have its format.
func (in *input) meet(b *block, known *layout) error {
	p := parser{o: in.o, b: &block{}}
	data, line, blanks := b.data, b.first, int64(0)
	var first []byte
	for ; len(data) > 0; data = data[len(first):] {
		if first = data[:lineLen(data, true)]; !blank(first) {
			break
		}
		line++
		blanks++
	}
	if len(data) == 0 {
		return nil
	}
	format := in.o.Format
	if known != nil {
		format = known.format
	}
	if format == "" {
		var err error
		if format, err = detect(trimEnd(first), in.o); err != nil {
			return err
		}
	}
	switch format {
	case MIND:
		in.layout = &layout{format: format, parse: mind}
	case OTTO:
		in.layout = &layout{format: format, parse: otto}
	case Adressa:
		in.layout = &layout{format: format, parse: adressa}
	default:
		n := recordLen(data, in.o.Comma, true, in.o.MaxLine)
		if reason := p.split(trimEnd(data[:n])); reason != "" {
			return fmt.Errorf("header: %s", reason)
		}
		l, err := columns(format, p.fields, in.o)
		if err != nil {
			return err
		}
		in.layout = l
		if format == KuaiRand || !in.o.NoHeader {
			b.data = data[n:]
			b.first = line + max(1, int64(bytes.Count(data[:n], []byte{'\n'})))
			b.lines += blanks
			b.blank += blanks
		}
	}
	return nil
}

// Detect is the format of a log that begins with this line, which is not blank.
// A CSV is told by the columns that Options name.
func Detect(line []byte, o Options) (Format, error) {
	o, err := o.withDefaults()
	if err != nil {
		return "", err
	}
	format, err := detect(line, &o)
	if err != nil {
		return "", fmt.Errorf("logs: %w", err)
	}
	return format, nil
}

func detect(line []byte, o *Options) (Format, error) {
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	text := bytes.Trim(line, " \t\r\n")
	switch {
	case len(text) == 0:
		return "", errors.New("the first line is blank, and does not tell the format")
	case text[0] == '{' && bytes.Contains(text, []byte(`"events"`)):
		return OTTO, nil
	case text[0] == '{' && bytes.Contains(text, []byte(`"userId"`)):
		return Adressa, nil
	}
	if fields := bytes.Split(trimEnd(line), []byte{'\t'}); len(fields) >= 5 {
		if _, ok := mindTime(fields[2]); ok {
			return MIND, nil
		}
	}
	p := parser{o: o}
	if p.split(trimEnd(line)) == "" {
		if _, err := columns(KuaiRand, p.fields, o); err == nil {
			return KuaiRand, nil
		}
		if _, err := columns(CSV, p.fields, o); err == nil {
			return CSV, nil
		}
	}
	return "", fmt.Errorf("the first line, %s, does not tell the format: name one of %v", quote(text), Formats())
}
