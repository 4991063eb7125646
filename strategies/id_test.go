package strategies_test

import (
	"fmt"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// The vectors are RFC 1321, appendix A.5 (MD5), cut to 64 bits, and the xxHash
// specification's published digests for seed 0.
func TestDigests(t *testing.T) {
	digests := func(key string, md5, xxhash strategies.ID) {
		t.Helper()
		strategytest.Equal(t, strategies.MD5([]byte(key)), md5, "MD5(%q)", key)
		strategytest.Equal(t, strategies.XXHash([]byte(key)), xxhash, "XXHash(%q)", key)
		strategytest.Equal(t, strategies.XXHashString(key), xxhash, "XXHashString(%q)", key)
	}
	digests("", 0xd41d8cd98f00b204, 0xef46db3751d8e999)
	digests("a", 0x0cc175b9c0f1b6a8, 0xd24ec4f1a98c6e5b)
	digests("abc", 0x900150983cd24fb0, 0x44bc2cf5ad770999)
}

func TestDigestsDoNotAllocate(t *testing.T) {
	key := "https://news.example/2016/04/11/an-article"
	b := []byte(key)
	strategytest.Equal(t, testing.AllocsPerRun(100, func() {
		_ = strategies.MD5(b) ^ strategies.XXHash(b) ^ strategies.XXHashString(key)
	}), 0, "digests allocate times a call")
}

func ExampleXXHashString() {
	id := strategies.XXHashString("https://news.example/2016/04/11/an-article")
	fmt.Printf("%T\n", id)
	// Output: strategies.ID
}
