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
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A File is a file of a log.
type File struct {
	Name  string // for messages; "-" is the standard input
	Path  string
	Bytes int64 // its length as it is packed; -1 if it is a pipe
}

// Files lists the files that the patterns name, in their order, and the files of one pattern sorted by name (see
// filepath.Match). "-" is the standard input. A file named twice is refused, whether by a link, packed beside itself,
// or as a copy.
func Files(patterns ...string) (files []File, err error) {
	names, err := expand(patterns)
	if err != nil {
		return nil, err
	}
	var known []fs.FileInfo
	for _, name := range names {
		f := File{name, name, -1}
		if name == "-" {
			f.Path = "/dev/stdin"
		}
		info, err := os.Stat(f.Path)
		switch {
		case name == "-":
		case err != nil:
			return nil, fmt.Errorf("logs: %w", err)
		case info.IsDir():
			return nil, fmt.Errorf("logs: %s is a directory: name its files, as in %s", name, filepath.Join(name, "*.csv"))
		case info.Mode().IsRegular():
			f.Bytes = info.Size()
		}
		for i, other := range known {
			why := same(f, files[i])
			if os.SameFile(info, other) {
				why = "the same file"
			}
			if why != "" {
				return nil, fmt.Errorf("logs: %s and %s are %s: name one of them", files[i].Name, name, why)
			}
		}
		files, known = append(files, f), append(known, info)
	}
	return files, nil
}

// same returns why two files hold the same lines, or "".
func same(a, b File) string {
	unpacked := func(name string) string {
		for _, ext := range []string{".gz", ".zst", ".bz2", ".xz", ".zip"} {
			name = strings.TrimSuffix(name, ext)
		}
		return name
	}
	if unpacked(a.Name) == unpacked(b.Name) {
		return "one file, packed or not"
	}
	if a.Bytes > 0 && a.Bytes == b.Bytes {
		head := beginning(a.Path)
		if bytes.Count(bytes.TrimSpace(head), []byte{'\n'}) > 0 && bytes.Equal(head, beginning(b.Path)) {
			return "of one length and begin with the same lines"
		}
	}
	return ""
}

// beginning returns the first 64 kB of a file, or nothing.
func beginning(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil // told when its turn comes
	}
	defer f.Close()
	head := make([]byte, 1<<16)
	n, _ := io.ReadFull(f, head)
	return head[:n]
}

// expand lists the files that the patterns name. A pattern that is itself a file's name means that file.
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
		for _, name := range found {
			if name != "-" {
				name = filepath.Clean(name)
			}
			if slices.Contains(names, name) {
				return nil, fmt.Errorf("logs: %s is named twice", name)
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("logs: no file named")
	}
	return names, nil
}

// Spool copies pipes and the standard input into temporary files, so that they can be read several times. The caller
// calls remove. The context ends waiting for a pipe.
func Spool(ctx context.Context, files []File) (spooled []File, remove func(), err error) {
	var paths []string
	remove = func() {
		for _, path := range paths {
			os.Remove(path)
		}
	}
	for _, f := range files {
		if f.Bytes < 0 {
			to, err := os.CreateTemp("", "dejavu-spool-*")
			if err == nil {
				paths = append(paths, to.Name())
				f, err = spool(ctx, f, to)
			}
			if err != nil {
				remove()
				return nil, func() {}, fmt.Errorf("logs: %s: copied to %s (TMPDIR names another directory): %w",
					f.Name, os.TempDir(), err)
			}
		}
		spooled = append(spooled, f)
	}
	return spooled, remove, nil
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
	if f.Name == "-" {
		return File{"standard input", to.Name(), n}, err
	}
	return File{f.Name, to.Name(), n}, err
}

// A counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

const (
	maxWindow  = 128 << 20 // bytes of memory that zstd may ask for
	unpackable = "cannot be unpacked: %w; 'gzip -dc FILE' or 'zstd -dc --long=31 FILE' tells more"
)

// foreign lists formats that are not read, by the first 512 bytes of a file, with advice. A byte that is not UTF-8 is
// \x{FFFD} in the expressions.
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

// text sets plain to read a file, unpacked if its first bytes say that it is packed, and without a byte order mark. It
// counts the bytes read of the file. The caller calls done.
func text(plain *bufio.Reader, file io.ReadCloser, read *counter) (done func(), err error) {
	in := bufio.NewReaderSize(io.TeeReader(file, read), 1<<16)
	head, _ := in.Peek(512)
	var from io.Reader = in
	done = func() { file.Close() }
	switch {
	case bytes.HasPrefix(head, []byte("BZh")):
		from = bzip2.NewReader(in)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		from, err = gzip.NewReader(in)
	case len(head) > 3 && !errors.Is(new(zstd.Header).Decode(head), zstd.ErrMagicMismatch):
		var frames *zstd.Decoder
		frames, err = zstd.NewReader(in,
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		from, done = frames, func() {
			frames.Close()
			file.Close()
		}
	}
	if err != nil {
		done()
		return nil, fmt.Errorf(unpackable, err)
	}
	plain.Reset(from)
	head, err = plain.Peek(512)
	after, isMarked := bytes.CutPrefix(head, []byte("\xef\xbb\xbf"))
	switch {
	case len(head) == 0 && from != in && !errors.Is(err, io.EOF):
		err = fmt.Errorf(unpackable, err)
	case len(head) > 0 || errors.Is(err, io.EOF): // an error after some bytes is returned again
		err = nil
		for _, f := range foreign {
			if is, _ := regexp.Match(f.begins, after); is {
				err = errors.New(f.helps)
				break
			}
		}
	}
	if err != nil {
		done()
		return nil, err
	}
	if isMarked {
		_, err = plain.Discard(3)
	}
	return done, err
}
