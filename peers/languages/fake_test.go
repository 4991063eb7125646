package languages_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dejavu/peers/languages"
	"dejavu/strategies/strategytest"
)

// answers is what the test binary is started with to answer the questions of package languages itself, as a
// program without a library: tests need no other language for it. It remembers everything exactly, and its
// times are made up. Package main's tests start it, too.
const answers = "answer-questions"

// A fault is what is wrong with the program.
type fault string

const (
	none     fault = "none"
	denies   fault = "denies"   // one of what was shown is reported as unseen
	believes fault = "believes" // everything is reported as seen
	forgets  fault = "forgets"  // one of the newest articles
	dies     fault = "dies"     // when it is asked
	stutters fault = "stutters" // its answers are no numbers
	other    fault = "other"    // it is of another version
	smaller  fault = "smaller"  // its filters have fewer bits
)

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == answers {
		answer(fault(os.Args[2]), os.Args[3])
		return
	}
	os.Exit(m.Run())
}

// program is the program, with a fault or with none.
func program(t *testing.T, f fault) languages.Program {
	t.Helper()
	self := strategytest.Value(os.Executable())
	return languages.Program{
		Library: "exact", Language: "Exact", Version: "1.0", Bits: [2]int{4064, 812},
		Command: []string{self, answers, string(f)},
	}
}

func answer(f fault, file string) {
	version, bits := "1.0", 4064
	switch f {
	case other:
		version = "2.0"
	case smaller:
		bits = 4000
	}
	lists := readLists(file)
	if asked := strings.Join(os.Args[4:], " "); asked != "4064 6 500 812 6 100" {
		fmt.Fprintln(os.Stderr, "the geometries are", asked)
		os.Exit(3)
	}
	known := map[uint64]bool{}
	for _, id := range lists[0] {
		known[id] = true
	}
	var seen [3]int // of the lists of candidates
	for i := range seen {
		for _, id := range lists[1+i] {
			if known[id] || f == believes {
				seen[i]++
			}
		}
		if f == denies {
			seen[i]--
		}
	}
	fmt.Println(bits, 6, 812, 6, version)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		switch {
		case f == dies:
			fmt.Fprintln(os.Stderr, "out of breath")
			os.Exit(3)
		case f == stutters:
			fmt.Println("error no such question")
		case words[0] == "ask":
			i := slices.Index([]string{"unseen", "seen", "mixed"}, words[2])
			fmt.Println(seen[i], times(len(lists[1+i])/(languages.Request*languages.Segment)))
		case words[0] == "record" && f == forgets:
			fmt.Println(languages.Newest-1, times(2))
		case words[0] == "record":
			fmt.Println(languages.Newest, times(len(lists[4])/languages.Records))
		case words[0] == "memory":
			fmt.Println(words[2]+"000", words[2])
		case words[0] == "rates":
			fmt.Println(strings.Repeat("10 0 ", keys(words[1])/(2*languages.Shown)))
		}
	}
}

// times are so many made-up numbers of nanoseconds, the first of them out of line.
func times(n int) string { return "9000000" + strings.Repeat(" 51200", n-1) }

// readLists returns the lists of a file, as languages.WriteLists wrote them.
func readLists(file string) (lists [][]uint64) {
	data := bytes(file)
	for len(data) > 0 {
		n := binary.LittleEndian.Uint64(data)
		list := make([]uint64, n)
		for i := range list {
			list[i] = binary.LittleEndian.Uint64(data[8*(i+1):])
		}
		lists, data = append(lists, list), data[8*(n+1):]
	}
	return lists
}

// keys counts those of a file, as languages.WriteKeys wrote them.
func keys(file string) (n int) {
	for data := bytes(file); len(data) > 0; n++ {
		data = data[1+int(data[0]):]
	}
	return n
}

func bytes(file string) []byte {
	data, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return data
}
