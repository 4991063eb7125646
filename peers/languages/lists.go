package languages

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"

	"dejavu/strategies"
)

// Lists are what a program is asked about: the articles shown to each of Users
// users, one user after the other, candidates, and articles to record. Candidates
// are whole segments: a multiple of Request * Segment.
type Lists struct {
	Shown               []strategies.ID
	Unseen, Seen, Mixed []strategies.ID
	Articles            []strategies.ID
}

// WriteLists writes them into a file, in the order of their fields: each as its
// length and its IDs, all of them little-endian numbers of 64 bits.
func WriteLists(path string, l Lists) error {
	var data []byte
	for _, list := range [][]strategies.ID{l.Shown, l.Unseen, l.Seen, l.Mixed, l.Articles} {
		data = binary.LittleEndian.AppendUint64(data, uint64(len(list)))
		for _, id := range list {
			data = binary.LittleEndian.AppendUint64(data, uint64(id))
		}
	}
	return os.WriteFile(path, data, 0o600)
}

// WriteKeys writes so many keys into a file: each as a byte that is its length,
// and its bytes. Key appends the i-th one to dst.
func WriteKeys(path string, n int, key func(dst []byte, i int) []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	var k []byte
	for i := range n {
		if k = key(k[:0], i); len(k) > 255 {
			return fmt.Errorf("key %d has %d bytes, want at most 255", i, len(k))
		}
		w.WriteByte(byte(len(k))) // the writer keeps its first error
		w.Write(k)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// A Filter is what one filter answers for Shown keys that it holds and as many that it
// does not.
type Filter struct{ Hits, Denied int }
