package main

import (
	"os"
	"strings"
	"testing"

	"dejavu/results"
)

// The headline table of README.md is the committed reference run's.
func TestREADMEHeadline(t *testing.T) {
	const users, seed = 10_000_000, 2016
	reference, ok := results.Reference(users, seed)
	if !ok {
		t.Fatalf("no committed reference of %d users and seed %d", users, seed)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(readme), "<!-- headline -->\n")
	table, _, closed := strings.Cut(after, "<!-- end headline -->")
	if !found || !closed {
		t.Fatal("README.md has no headline table between its comments")
	}
	headline := headline(index(reference), users)
	headline.Title = "" // README.md has a sentence for it
	want := headline.Markdown()
	if strings.TrimSpace(table) != strings.TrimSpace(want) {
		t.Errorf("README.md shows\n%s\nthe reference run says\n%s", table, want)
	}
}
