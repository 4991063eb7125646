package logs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds what a zstd file may ask for: as much as the zstd program grants without being told to.
const maxWindow = 128 << 20

// foreign lists beginnings of files that hold no lines.
var foreign = []struct{ magic, what string }{
	{"PK\x03\x04", "a zip archive: unpack it first"},
	{"BZh", "packed with bzip2: unpack it, or pack it with gzip or zstd"},
	{"\xfd7zXZ\x00", "packed with xz: unpack it, or pack it with gzip or zstd"},
	{"PAR1", "Parquet: 'go run -C parquet . FILE' writes its lines"},
	{"\xff\xfe", "UTF-16: write it as UTF-8"},
	{"\xfe\xff", "UTF-16: write it as UTF-8"},
}

// unpack returns a reader of what r holds, unpacked if its first bytes say that it is packed, and without the
// mark that some programs set before UTF-8. The caller calls done.
func unpack(r io.Reader) (plain io.Reader, done func(), err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := peek(in)
	if err != nil {
		return nil, nil, err
	}
	done = func() {}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, fmt.Errorf("gzip: %w", err)
		}
		in, done = bufio.NewReaderSize(unzip, 1<<16), func() { unzip.Close() }
	case isZstd(head):
		unzip, err := zstd.NewReader(in,
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, fmt.Errorf("zstd: %w", err)
		}
		in, done = bufio.NewReaderSize(unzip, 1<<16), unzip.Close
	}
	if head, err = peek(in); err == nil { // what is packed may begin with a mark, too
		for _, f := range foreign {
			if bytes.HasPrefix(head, []byte(f.magic)) {
				err = fmt.Errorf("is %s", f.what)
			}
		}
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, err = in.Discard(3)
	}
	return in, done, err
}

// peek is the bytes that a file begins with, fewer where it is short.
func peek(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(8)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head, err
}

// isZstd is whether a file begins with a frame of zstd, or with one to be skipped.
func isZstd(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	return string(head[:4]) == "\x28\xb5\x2f\xfd" || head[0]>>4 == 5 && string(head[1:4]) == "\x2a\x4d\x18"
}
