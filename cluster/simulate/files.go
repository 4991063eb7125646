package simulate

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
)

// pack is the files of a directory as bytes.
func pack(dir string) ([]byte, error) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	if err := errors.Join(w.AddFS(os.DirFS(dir)), w.Close()); err != nil {
		return nil, fmt.Errorf("packing %s: %w", dir, err)
	}
	return packed.Bytes(), nil
}

// unpack makes such bytes files of a directory again, beside those that are
// there.
func unpack(dir string, packed []byte) error {
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err == nil {
		err = os.CopyFS(dir, r)
	}
	if err != nil {
		return fmt.Errorf("unpacking a shard of %d bytes: %w", len(packed), err)
	}
	return nil
}
