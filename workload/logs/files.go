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

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
)

// A source is a file of a log, opened when its turn comes.
type source struct {
	name string
	open func() (io.ReadCloser, error)
}

func sources(files []File) (all []source, total int64) {
	for _, f := range files {
		all = append(all, source{f.Name, func() (io.ReadCloser, error) { return os.Open(f.Path) }})
		total += f.Bytes
	}
	return all, total
}

// A File is one of a log.
type File struct {
	Name  string // for messages; "-" is the standard input
	Path  string
	Bytes int64 // its length as it is packed; -1 if it is a pipe
}

// Files lists the files that the patterns name, in their order, and those of one pattern sorted by name (see
// filepath.Match). "-" is the standard input. A file that is named twice is refused, whether by a link, packed beside
// itself, or as a copy.
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
			files, known = append(files, f), append(known, nil)
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("logs: %w", err)
		case info.IsDir():
			return nil, fmt.Errorf("logs: %s is a directory: name its files, as in %s", name, filepath.Join(name, "*.csv"))
		case info.Mode().IsRegular():
			f.Bytes = info.Size()
		}
		for i, other := range known {
			if why := same(f, files[i], info, other); why != "" {
				return nil, fmt.Errorf("logs: %s and %s are %s: name one of them", files[i].Name, name, why)
			}
		}
		files, known = append(files, f), append(known, info)
	}
	return files, nil
}

// same returns why two files hold the same lines, or "".
func same(a, b File, aInfo, bInfo fs.FileInfo) string {
	unpacked := func(name string) string {
		for _, ext := range []string{".gz", ".zst", ".bz2", ".xz", ".zip"} {
			name = strings.TrimSuffix(name, ext)
		}
		return name
	}
	switch {
	case bInfo != nil && os.SameFile(aInfo, bInfo):
		return "the same file"
	case unpacked(a.Name) == unpacked(b.Name):
		return "one file, packed or not"
	case a.Bytes <= 0 || a.Bytes != b.Bytes:
		return ""
	}
	if head := beginning(a.Path); bytes.Count(bytes.TrimSpace(head), []byte{'\n'}) > 0 && bytes.Equal(head, beginning(b.Path)) {
		return "of one length and begin with the same lines"
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

// expand lists the files that the patterns name. A file whose very name looks like a pattern is that file.
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
// calls remove. The context ends the waiting for a pipe's next bytes.
func Spool(ctx context.Context, files []File) (spooled []File, remove func(), err error) {
	var paths []string
	remove = func() {
		for _, path := range paths {
			os.Remove(path)
		}
	}
	spooled = slices.Clone(files)
	for i, f := range spooled {
		if f.Bytes >= 0 {
			continue
		}
		to, err := os.CreateTemp("", "dejavu-spool-*")
		if err != nil {
			return nil, remove, fmt.Errorf("logs: %w", err)
		}
		paths = append(paths, to.Name())
		done := make(chan error, 1)
		go func() { done <- spool(to, f) }()
		select {
		case err = <-done:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		if err != nil {
			remove()
			return nil, func() {}, fmt.Errorf("logs: %s: copied to %s (TMPDIR names another directory): %w",
				f.Name, to.Name(), err)
		}
		info, err := os.Stat(to.Name())
		if err != nil {
			return nil, remove, fmt.Errorf("logs: %w", err)
		}
		spooled[i].Path, spooled[i].Bytes = to.Name(), info.Size()
		if f.Name == "-" {
			spooled[i].Name = "standard input"
		}
	}
	return spooled, remove, nil
}

func spool(to *os.File, f File) error {
	from := os.Stdin
	if f.Name != "-" {
		var err error
		if from, err = os.Open(f.Path); err != nil {
			to.Close()
			return err
		}
		defer from.Close()
	}
	_, err := io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// A counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// maxWindow bounds the memory that zstd may ask for.
const maxWindow = 128 << 20

// foreign lists the files that are not read, by how their first 512 bytes begin, and what helps with each. A byte that
// is no UTF-8 is \x{FFFD} in the expressions.
var foreign = []struct {
	begins *regexp.Regexp
	helps  string
}{
	{regexp.MustCompile(`^PAR1`), `is Parquet: duckdb -csv -c "SELECT user_id, item_id, time FROM 'FILE'" | experiments ` +
		`describe - reads it, with the names of its columns`},
	{regexp.MustCompile(`^(?:#[^\n]*\n)*#Fields:`), "is a log in the W3C's extended format, as of IIS and CloudFront" + byDuckDB},
	{
		regexp.MustCompile(`^(?:(?:https?|h2|grpcs|wss?) )?\d{4}-\d\d-\d\dT[\d:.]+Z \S+ \S+:\d+ `),
		"is a log of Amazon's load balancer" + byDuckDB,
	},
	{regexp.MustCompile(`^\S+ \S+ \[\d\d/\w{3}/\d{4}:[\d:]+ [+-]\d{4}\] [\d.:a-fA-F]+ `), "is a log of Amazon's S3" + byDuckDB},
	{regexp.MustCompile(`^\x{FFFD}\x{FFFD}\x00\x00`), "is UTF-32: 'iconv -f UTF-32 -t UTF-8 FILE' writes it as UTF-8"},
	{regexp.MustCompile(`^\x{FFFD}\x{FFFD}([^\x00]\x00|\x00)`), "is UTF-16: 'iconv -f UTF-16 -t UTF-8 FILE' writes it as UTF-8"},
	{regexp.MustCompile(`^\+[-+]+\+\r?\n\|`), "is a table of MySQL's client: grep -v '^+' FILE leaves out the lines between"},
	{regexp.MustCompile(`^\s*\{\s*\n`), "is JSON with several lines for an object: 'jq -c . FILE' writes each on one"},
	{regexp.MustCompile(`^\s*\[\s*[{\[]`), "is a JSON array: 'jq -c .[] FILE' writes each element on a line"},
	{regexp.MustCompile(`^[^\n]*\x00[^\n]*ustar`), "is a tar archive: 'tar -xf FILE' unpacks it; name those of its files that are the log"},
	{regexp.MustCompile(`^\x1f\x{FFFD}\x08`), "is packed twice: 'gzip -dc FILE' unpacks it once"},
	{regexp.MustCompile(`^\x1f\x{FFFD}`), "is packed with compress: 'gzip -dc FILE' unpacks it"},
	{regexp.MustCompile(`^\x{FFFD}7zXZ\x00`), "is packed with xz: 'xz -dc FILE | experiments describe -' reads it"},
	{regexp.MustCompile(`^\x04"M\x18`), "is packed with lz4: 'lz4 -dc FILE | experiments describe -' reads it"},
	{regexp.MustCompile(`^7z\x{FFFD}\x{FFFD}`), "is a 7z archive: '7z x FILE' unpacks it"},
	{regexp.MustCompile(`^\x{FFFD}\x{FFFD}\x11\x{FFFD}`), "is an Excel workbook: save the sheet of the log as CSV"},
	{regexp.MustCompile(`^SQLite format 3`), "is a database of SQLite" + byDuckDB},
	{regexp.MustCompile(`^Obj\x01`), "is Avro" + byDuckDB},
	{regexp.MustCompile(`^[^\n]*\x00`), "is no text, for its first line has a byte of 0: unpack it, or write it as UTF-8, as " +
		"'iconv -f UTF-16LE -t UTF-8 FILE' does"},
	{regexp.MustCompile(`^[^\n]*\r[^\n]*\r[^\n]*$`), `has lines that end in CR alone: tr '\r' '\n' <FILE writes it with LF`},
}

const byDuckDB = ": a DuckDB query of docs/logs.md writes it as a table"

// unpack returns what a file holds, unpacked if its first bytes say that it is packed, and counts what was read of the
// file. The caller calls done, which does not close the file.
func unpack(file io.Reader, read *counter) (plain *bufio.Reader, done func(), isPacked bool, err error) {
	in := bufio.NewReaderSize(io.TeeReader(file, read), 1<<16)
	head, err := peek(in)
	if err != nil {
		return nil, nil, false, err
	}
	var from io.ReadCloser
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		from, err = unzip(file, read, int64(in.Buffered()))
	case bytes.HasPrefix(head, []byte("BZh")):
		from = io.NopCloser(bzip2.NewReader(in))
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		if from, err = gzip.NewReader(in); err != nil {
			err = fmt.Errorf("gzip: %w", err)
		}
	case len(head) > 3 && !errors.Is(new(zstd.Header).Decode(head), zstd.ErrMagicMismatch):
		var frames *zstd.Decoder
		frames, err = zstd.NewReader(in,
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		from = frames.IOReadCloser()
	default:
		return in, func() {}, false, nil
	}
	if err != nil {
		return nil, nil, true, err
	}
	return bufio.NewReaderSize(from, 1<<16), func() { from.Close() }, true, nil
}

// lines returns a reader of the lines of a file, unpacked, without the mark that some programs set before UTF-8. The
// caller calls done.
func lines(file io.Reader, read *counter) (plain io.Reader, done func(), err error) {
	in, done, isPacked, err := unpack(file, read)
	if err != nil {
		return nil, nil, err
	}
	head, err := peek(in)
	after, isMarked := bytes.CutPrefix(head, []byte("\xef\xbb\xbf"))
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		err = fmt.Errorf("zstd asks for more than %d MB of memory: 'zstd -dc --long=31 FILE' unpacks it", maxWindow>>20)
	case err != nil && isPacked:
		err = fmt.Errorf("cannot be unpacked: %w", err)
	case err == nil:
		for _, f := range foreign {
			if f.begins.Match(after) {
				err = errors.New(f.helps)
				break
			}
		}
	}
	if err == nil && isMarked {
		_, err = in.Discard(3)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return in, done, nil
}

// unzip opens the one file of a zip archive, of which some bytes were read.
func unzip(file io.Reader, read *counter, begun int64) (io.ReadCloser, error) {
	f, ok := file.(*os.File)
	if !ok {
		return nil, errors.New("an archive cannot be read from a pipe: funzip before it unpacks one")
	}
	size, _ := f.Seek(0, io.SeekEnd) // of no size it is no archive
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return nil, err
	}
	members := slices.DeleteFunc(archive.File, func(m *zip.File) bool {
		return m.FileInfo().IsDir() || strings.HasPrefix(m.Name, "__MACOSX/")
	})
	if slices.ContainsFunc(members, func(m *zip.File) bool { return m.Name == "xl/workbook.xml" }) {
		return nil, errors.New("an Excel workbook: save the sheet of the log as CSV, or" + strings.TrimPrefix(byDuckDB, ":"))
	}
	if len(members) != 1 {
		return nil, fmt.Errorf("an archive of %d files: 'unzip FILE' unpacks them; name those of the log", len(members))
	}
	archive.RegisterDecompressor(zip.Deflate, func(packed io.Reader) io.ReadCloser {
		return flate.NewReader(io.TeeReader(packed, read))
	})
	*read += counter(size - begun - int64(members[0].CompressedSize64))
	return members[0].Open()
}

// peek returns the bytes that a file begins with, fewer if it is short. An error behind some comes again.
func peek(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(512)
	if errors.Is(err, io.EOF) || len(head) > 0 {
		err = nil
	}
	return head, err
}
