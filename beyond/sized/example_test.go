package sized_test

import (
	"fmt"

	"dejavu/beyond/sized"
	"dejavu/strategies"
)

// A light reader's memory is 33 bytes, and any class reads it.
func Example() {
	family, err := sized.New(sized.Ladder)
	if err != nil {
		fmt.Println(err)
		return
	}
	light, heavy := family.Class(family.Of(20)), family.Class(family.Of(400))
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	var history []byte // a newcomer's
	history = light.Record(history, shown)

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	heavy.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	// Output: [true true false] 33 bytes
}

// Half of the readers read ten articles, and a few read five hundred. Four
// classes take a sixth of the bytes of one size for all. What most readers give
// for that are the errors that a filter far too big had spared them.
func ExampleClasses() {
	histogram := make([]int64, 501)
	histogram[10], histogram[40], histogram[60], histogram[150], histogram[200], histogram[500] = 500, 200, 100, 100, 50, 50
	for _, classes := range []int{1, 4} {
		config, err := sized.Classes(histogram, classes, 0.02)
		if err != nil {
			fmt.Println(err)
			return
		}
		family, _ := sized.New(config)
		shares := family.Shares(histogram)
		for i, class := range config.Classes {
			fmt.Printf("up to %3d articles: %4d readers, %v\n", class.Capacity, shares[i].Readers, class.Geometry)
		}
		all := sized.Total(shares)
		fmt.Printf("%.1f bytes a reader, %.2f %% of fresh articles lost at the end, at most %.2f %%\n",
			float64(all.Bytes)/float64(all.Readers), 100*all.End, 100*all.Worst)
	}
	// Output:
	// up to 500 articles: 1000 readers, 4080/6
	// 511.0 bytes a reader, 0.10 % of fresh articles lost at the end, at most 1.99 %
	// up to  10 articles:  500 readers, 88/4
	// up to  60 articles:  300 readers, 496/5
	// up to 200 articles:  150 readers, 1632/6
	// up to 500 articles:   50 readers, 4080/6
	// 81.2 bytes a reader, 1.46 % of fresh articles lost at the end, at most 2.00 %
}

// A newcomer may begin in the largest class. Who turns out to read little is
// folded down, to what the smaller class would have made of the same articles.
func ExampleFamily_Fold() {
	family, _ := sized.New(sized.Ladder)
	largest := family.Class(family.Len() - 1)
	var history []byte
	for article := range 50 {
		history = largest.Record(history, []strategies.ID{strategies.XXHashString(fmt.Sprint("/news/", article))})
	}
	articles := family.Articles(history)
	fmt.Printf("%d bytes for about %.0f articles\n", len(history), articles)

	history, err := family.Fold(history, family.Of(int(1.1*articles)))
	fmt.Println(len(history), "bytes", err)
	// It cannot grow again: that would take the articles' keys.
	_, err = family.Fold(history, family.Len()-1)
	fmt.Println(err)
	// Output:
	// 511 bytes for about 51 articles
	// 65 bytes <nil>
	// sized: class 1 of 510/6 cannot be folded to class 4 of 4080/6: want as many hashes and a divisor of the bits
}
