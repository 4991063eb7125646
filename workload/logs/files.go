package logs

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A File is a file of a log.
type File struct {
	Name  string // for messages; "-" is the standard input
	Path  string
	Bytes int64 // its length, packed or not; -1 for a pipe
	info  fs.FileInfo
}

// Files lists the files that match the patterns (filepath.Match), in their order, and for one pattern by name. "-" is
// the standard input. It rejects a file that is named twice, whether by a link, packed beside itself, or as a copy.
// Pipes and the standard input are copied into temporary files, as they are read several times; ctx ends the wait for
// them. The caller calls remove, also after an error.
func Files(ctx context.Context, patterns ...string) (files []File, remove func(), err error) {
	var copies []string
	remove = func() {
		for _, path := range copies {
			os.Remove(path)
		}
	}
	names, err := expand(patterns)
	if err != nil {
		return nil, remove, err
	}
	for _, name := range names {
		f := File{Name: name, Path: name, Bytes: -1}
		if name == "-" {
			f.Path = "/dev/stdin"
		}
		f.info, err = os.Stat(f.Path)
		switch {
		case name == "-":
		case err != nil:
			return nil, remove, fmt.Errorf("logs: %w", err)
		case f.info.IsDir():
			return nil, remove, fmt.Errorf("logs: %s is a directory: name its files, as in %s", name,
				filepath.Join(name, "*.csv"))
		case f.info.Mode().IsRegular():
			f.Bytes = f.info.Size()
		}
		for _, other := range files {
			if why := same(f, other); why != "" {
				return nil, remove, fmt.Errorf("logs: %s and %s are %s: name one of them", other.Name, name, why)
			}
		}
		files = append(files, f)
	}
	for i, f := range files {
		if f.Bytes >= 0 {
			continue
		}
		to, err := os.CreateTemp("", "dejavu-spool-*")
		if err == nil {
			copies = append(copies, to.Name())
			files[i], err = spool(ctx, f, to)
		}
		if err != nil {
			return nil, remove, fmt.Errorf("logs: %s: copied to %s (TMPDIR names another directory): %w", f.Name,
				os.TempDir(), err)
		}
	}
	return files, remove, nil
}

var packing = regexp.MustCompile(`(\.(gz|zst|bz2|xz|zip))*$`)

// same returns why two files contain the same lines, or "".
func same(a, b File) string {
	switch {
	case os.SameFile(a.info, b.info):
		return "the same file"
	case packing.ReplaceAllString(filepath.Clean(a.Name), "") == packing.ReplaceAllString(filepath.Clean(b.Name), ""):
		return "one file, packed or not"
	case a.Bytes > 0 && a.Bytes == b.Bytes:
		if head := beginning(a.Path); strings.Contains(head, "\n") && head == beginning(b.Path) {
			return "of one length and begin with the same lines"
		}
	}
	return ""
}

// beginning returns the first 64 kB of a file, or "".
func beginning(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "" // Open will return the error
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 1<<16))
	return strings.TrimSpace(string(head))
}

// expand lists the files that match the patterns. A pattern that is also a file's name means that file.
func expand(patterns []string) (names []string, err error) {
	for _, pattern := range patterns {
		found := []string{pattern}
		if _, err := os.Lstat(pattern); errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(pattern, `*?[`) {
			if found, err = filepath.Glob(pattern); err != nil {
				return nil, fmt.Errorf("logs: pattern %q: %w", pattern, err)
			}
			if len(found) == 0 {
				return nil, fmt.Errorf("logs: no file matches %q", pattern)
			}
		}
		names = append(names, found...)
	}
	return names, nil
}

// spool copies a pipe, and returns the copy.
func spool(ctx context.Context, f File, to *os.File) (copied File, err error) {
	from, n, done := os.Stdin, int64(0), make(chan error, 1)
	go func() {
		var err error
		if f.Name != "-" {
			from, err = os.Open(f.Path)
		}
		if err == nil {
			n, err = io.Copy(to, from)
		}
		done <- errors.Join(err, to.Close())
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		return f, context.Cause(ctx)
	}
	if f.Path, f.Bytes = to.Name(), n; f.Name == "-" {
		f.Name = "standard input"
	}
	return f, err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

const (
	maxWindow  = 128 << 20 // bytes of memory that zstd may use
	unpackable = "cannot be unpacked: %w; 'gzip -dc FILE' or 'zstd -dc --long=31 FILE' tells more, and followed by " +
		"'| experiments describe -' reads what comes before"
)

// An unpacker reads an unpacked file. Its errors say what to do.
type unpacker struct{ io.Reader }

func (u unpacker) Read(p []byte) (n int, err error) {
	if n, err = u.Reader.Read(p); err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf(unpackable, err)
	}
	return n, err
}

// foreign lists formats that cannot be read, by the first 512 bytes of a file, with advice. In the expressions \x{FFFD}
// is any byte that is not UTF-8.
var foreign = []struct{ begins, helps string }{
	{`^PAR1`, `is Parquet: duckdb -csv -c "SELECT user_id, item_id, time FROM 'FILE'" | experiments ` +
		`describe - reads it, with the names of its columns`},
	{`(?s)^PK\x03\x04.{0,40}\[Content|^\x{FFFD}\x{FFFD}\x11\x{FFFD}`, "is an Excel workbook: save its sheet as CSV"},
	{`^PK\x03\x04`, "is a zip archive: 'unzip -p FILE NAME | experiments describe -' reads a file in it"},
	{`^(?:\x1f\x{FFFD}|BZh|(\x{FFFD}7zXZ|\x04"M\x18|7z\x{FFFD}))`, "is packed, perhaps twice: " +
		"'gzip -dc', 'xz -dc', 'lz4 -dc' or '7z x' unpacks it"},
	{`^[^\n]*\x00[^\n]*ustar`, "is a tar archive: 'tar -xf FILE' unpacks it; name the files that are the log"},
	{`^[^\n]*\x00|^Obj\x01`, "is no text: 'iconv -f UTF-16 -t UTF-8 FILE' writes UTF-16 as UTF-8, and a DuckDB " +
		"query of docs/logs.md writes a database as a table"},
	{
		`^(?:#[^\n]*\n)*#Fields:|^(?:\w+ )?\d{4}-\d\d-\d\dT[\d:.]+Z \S+ \S+:\d+ |` +
			`^\S+ \S+ \[\d\d/\w{3}/\d{4}:[\d:]+ [+-]\d{4}\] [\d.:a-fA-F]+ `,
		"is a log of IIS, CloudFront, S3 or a load balancer: a DuckDB query of docs/logs.md writes it as a table",
	},
	{`^\s*\{\s*\n`, "is JSON with several lines for an object: 'jq -c . FILE' writes each on one"},
	{`^\s*\[\s*[{\[]`, "is a JSON array: 'jq -c .[] FILE' writes each element on a line"},
	{`^[^\n]*\r[^\n]*\r[^\n]*$`, `has lines that end in CR alone: tr '\r' '\n' <FILE writes it with LF`},
}

// text sets plain to read a file, unpacked if its first bytes say that it is packed, and without a byte order mark.
// read counts the bytes of the file.
func text(plain *bufio.Reader, file io.Reader, read *counter) (err error) {
	in := bufio.NewReaderSize(io.TeeReader(file, read), 1<<16)
	head, _ := in.Peek(512)
	var from io.Reader = in
	switch {
	case bytes.HasPrefix(head, []byte("BZh")):
		from = unpacker{bzip2.NewReader(in)}
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		var members *gzip.Reader
		members, err = gzip.NewReader(in)
		from = unpacker{members}
	case len(head) > 3 && !errors.Is(new(zstd.Header).Decode(head), zstd.ErrMagicMismatch):
		var frames *zstd.Decoder // without goroutines, so that it need not be closed
		frames, err = zstd.NewReader(in,
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		from = unpacker{frames}
	}
	if err != nil {
		return fmt.Errorf(unpackable, err)
	}
	plain.Reset(from)
	head, err = plain.Peek(512) // an error after some bytes comes again when they are read
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	after := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for _, f := range foreign {
		if is, _ := regexp.Match(f.begins, after); is {
			return errors.New(f.helps)
		}
	}
	_, err = plain.Discard(len(head) - len(after))
	return err
}
