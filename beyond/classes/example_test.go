package classes_test

import (
	"fmt"

	"dejavu/beyond/classes"
	"dejavu/strategies"
)

// A light user's memory is 33 bytes, and any class reads it.
func Example() {
	family, _ := classes.New(classes.Ladder)
	light, heavy := family.Class(family.Of(20)), family.Class(family.Of(400))
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := light.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	heavy.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	// Output: [true true false] 33 bytes
}

// Half of the users read ten articles, and a few read five hundred. Four classes take a sixth of the bytes of one size
// for all. In return most users get false positives that a filter far too big had spared them.
func ExampleBest() {
	histogram := make([]int64, 501)
	for articles, users := range map[int]int64{10: 500, 40: 200, 60: 100, 150: 100, 200: 50, 500: 50} {
		histogram[articles] = users
	}
	for _, most := range []int{1, 4} {
		config, err := classes.Best(histogram, most, 0.02)
		if err != nil {
			fmt.Println(err)
			return
		}
		family, _ := classes.New(config)
		shares := family.Shares(histogram)
		for i, class := range config.Classes {
			fmt.Printf("up to %3d articles: %4d users, %v\n", class.Capacity, shares[i].Users, class.Geometry)
		}
		all := classes.Total(shares)
		fmt.Printf("%.1f bytes a user, %.2f %% of unseen articles lost at the end\n",
			float64(all.Bytes)/float64(all.Users), 100*all.End)
	}
	// Output:
	// up to 500 articles: 1000 users, 4080/6
	// 511.0 bytes a user, 0.10 % of unseen articles lost at the end
	// up to  10 articles:  500 users, 88/4
	// up to  60 articles:  300 users, 496/5
	// up to 200 articles:  150 users, 1632/6
	// up to 500 articles:   50 users, 4080/6
	// 81.2 bytes a user, 1.46 % of unseen articles lost at the end
}
