// Package languagestest has a program that answers the questions of package
// languages and asks no library: tests need no other language for it. It is the
// test's own binary, started again, so a test's TestMain begins with Main.
//
// It remembers everything exactly, and its times are made up.
package languagestest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"

	"dejavu/bloom"
	"dejavu/peers/languages"
)

// argument is what the binary is started with to be the program.
const argument = "answer-questions"

// A Fault is what is wrong with the program.
type Fault string

// The faults.
const (
	None     Fault = "none"
	Denies   Fault = "denies"   // one of what was shown is reported as unseen
	Believes Fault = "believes" // everything is reported as seen
	Forgets  Fault = "forgets"  // one of the newest articles
	Dies     Fault = "dies"     // when it is asked
	Stutters Fault = "stutters" // its answers are no numbers
	Other    Fault = "other"    // it is of another version
	Smaller  Fault = "smaller"  // its filters have fewer bits
)

// Program is the program, under a library's name, with a fault or with None.
func Program(library string, f Fault) languages.Program {
	return languages.Program{
		Library: library, Language: "Exact", Version: "1.0", Bits: [2]int{4064, 812},
		FPR:     func(g bloom.Geometry, n int) float64 { return bloom.Exact(n, g) },
		Missing: func() string { return "" },
		Build: func(string) ([]string, error) {
			self, err := os.Executable()
			return []string{self, argument, string(f)}, err
		},
	}
}

// Main answers questions and ends, where the binary was started as the program.
func Main() {
	if len(os.Args) > 3 && os.Args[1] == argument {
		answer(Fault(os.Args[2]), os.Args[3])
		os.Exit(0)
	}
}

func answer(f Fault, file string) {
	version, bits := "1.0", 4064
	switch f {
	case Other:
		version = "2.0"
	case Smaller:
		bits = 4000
	}
	lists := read(file)
	known := map[uint64]bool{}
	for _, id := range lists[0] {
		known[id] = true
	}
	var seen [3]int // of the lists of candidates
	for i := range seen {
		for _, id := range lists[1+i] {
			if known[id] || f == Believes {
				seen[i]++
			}
		}
		if f == Denies {
			seen[i]--
		}
	}
	fmt.Println(bits, 6, 812, 6, version)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		switch {
		case f == Dies:
			fmt.Fprintln(os.Stderr, "out of breath")
			os.Exit(3)
		case f == Stutters:
			fmt.Println("error no such question")
		case words[0] == "ask":
			i := slices.Index([]string{"unseen", "seen", "mixed"}, words[2])
			fmt.Println(seen[i], times(len(lists[1+i])/(languages.Request*languages.Segment)))
		case words[0] == "record" && f == Forgets:
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
func times(n int) string {
	return "9000000" + strings.Repeat(" 51200", n-1)
}

// read returns the lists of a file, as languages.WriteLists wrote them.
func read(file string) (lists [][]uint64) {
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
