package dejavu_test

import (
	"fmt"
	"log"

	"dejavu/chain"
	"dejavu/store"
	"dejavu/strategies"
)

// A recommender's service keeps its readers' histories in a store and asks it
// twice per request: which candidates were seen, and, once the page is on the
// screen, to record what was shown.
func Example_service() {
	// 400 to 500 articles a reader, 2 % of fresh ones lost at worst.
	config, err := chain.Sized(400, 0.02)
	if err != nil {
		log.Fatal(err)
	}
	memory, err := chain.New(config)
	if err != nil {
		log.Fatal(err)
	}
	readers, err := store.New[int](store.Config{Unsalted: true, Strategy: memory, Users: 10_000, Idle: store.Day})
	if err != nil {
		log.Fatal(err)
	}

	// A request: recall, filter, show.
	const reader = 42
	now := store.Timestamp(9 * 60 * 60)
	urls := []string{"https://news.example/a", "https://news.example/b", "https://news.example/c"}
	candidates := make([]strategies.ID, len(urls))
	for i, url := range urls {
		candidates[i] = strategies.XXHashString(url)
	}
	seen := make([]bool, len(urls))
	for range 2 {
		readers.Seen(reader, now, candidates, seen)
		var shown []strategies.ID
		for i := range urls {
			if !seen[i] && len(shown) < 2 {
				fmt.Println("show", urls[i])
				shown = append(shown, candidates[i])
			}
		}
		readers.Record(reader, now, shown)
		now += 60
	}
	// Output:
	// show https://news.example/a
	// show https://news.example/b
	// show https://news.example/c
}
