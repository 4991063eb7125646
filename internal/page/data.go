package page

import (
	"bytes"
	"compress/gzip"
	"io"
)

// Attach puts a file of rows into the page, compressed, from where a link saves it. The
// error is write's.
func (p *Page) Attach(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := write(z); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if p.Data == nil {
		p.Data = map[string][]byte{}
	}
	p.Data[name] = b.Bytes()
	return nil
}
