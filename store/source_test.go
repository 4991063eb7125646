package store

import (
	"io"
	"testing"

	"dejavu/strategies/strategytest"
)

// The shortest chunk of 32 KiB or more, in pages of 4 KiB, of which every length of history leaves 0.5 % or less; or
// else, up to 256 KiB, the one of which it leaves least. Worked by hand: each history has 2 bytes of owner.
func TestChunkBytes(t *testing.T) {
	for _, tt := range []struct {
		sizes []int
		want  int
	}{
		{[]int{510}, 32 << 10},        // 64 of them
		{[]int{4094, 6142}, 36 << 10}, // 9 and 6
		{[]int{40_958}, 40 << 10},     // one
		{[]int{40_959}, 61 * 4096},    // six, and 1.6 % is left; of fewer more, for each is a page and a byte longer
	} {
		strategytest.Equal(t, chunkBytesFor(tt.sizes, layoutOf(numbers, len(tt.sizes))), tt.want,
			"histories of %d bytes lie in chunks of", tt.sizes)
	}
}

// Of several errors the first in the snapshot is told, whichever comes first.
func TestFirstErrorIsKept(t *testing.T) {
	var in input
	for _, number := range []int{5, 3, 4} {
		in.note(&block{number: number, offset: 7}, io.ErrUnexpectedEOF)
	}
	if got, want := in.err.Error(), "block 3, at byte 7: unexpected EOF"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
