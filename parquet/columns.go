package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// columns are the names of the columns that hold what. Those that are empty are not asked for.
type columns struct{ User, Article, Time, Clicked, Request string }

// A place is what a column is to hold, and its name.
type place struct {
	what string
	name *string
}

func (c *columns) places() []place {
	return []place{
		{"user", &c.User}, {"article", &c.Article}, {"time", &c.Time}, {"clicked", &c.Clicked}, {"request", &c.Request},
	}
}

// parse reads the flag.
func (c *columns) parse(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		what, name, ok := strings.Cut(part, "=")
		places := c.places()
		i := slices.IndexFunc(places, func(p place) bool { return p.what == what })
		if !ok || name == "" || i < 0 {
			return fmt.Errorf("%q, want WHAT=COLUMN, of user, article, time, clicked and request", part)
		}
		*places[i].name = name
	}
	return nil
}

// A column is one that a log may take values from.
type column struct {
	*parquet.Column
	name string // as the flag has it
	list bool   // a row has any number of values
}

// find is the columns of these names in a file, nil for those not asked for.
func (c columns) find(f *parquet.File) (found [5]*column, err error) {
	all := leaves(f.Root(), nil)
	for i, p := range c.places() {
		if *p.name == "" {
			continue
		}
		at := slices.IndexFunc(all, func(c *column) bool { return c.name == *p.name })
		if at < 0 {
			return found, fmt.Errorf("no column %q (%s): the file has %s; %s", *p.name, p.what, list(all), c.suggest(all))
		}
		found[i] = all[at]
		if reason := found[i].unfit(p.what); reason != "" {
			return found, fmt.Errorf("column %s cannot be the %s: %s", found[i], p.what, reason)
		}
	}
	return found, nil
}

// leaves are the columns below a node. The path to what a list holds is the list's, as the
// two levels that Parquet has for it say nothing.
func leaves(node *parquet.Column, path []string) (all []*column) {
	if node.Leaf() {
		return []*column{{node, strings.Join(path, "."), node.MaxRepetitionLevel() > 0}}
	}
	for _, child := range node.Columns() {
		name := append(slices.Clip(path), child.Name())
		if inner := child.Columns(); len(path) > 0 && child.Repeated() && len(inner) == 1 && len(node.Columns()) == 1 {
			all = append(all, leaves(inner[0], path)...)
			continue
		}
		all = append(all, leaves(child, name)...)
	}
	return all
}

// String is the name and the type, as "articles (list of INT32)".
func (c *column) String() string {
	kind := c.Type().String()
	if c.list {
		kind = "list of " + kind
	}
	return fmt.Sprintf("%s (%s)", c.name, kind)
}

// list lists columns, the first fifty.
func list(all []*column) string {
	const most = 50
	var names []string
	for _, c := range all[:min(len(all), most)] {
		names = append(names, c.String())
	}
	if len(all) > most {
		names = append(names, fmt.Sprintf("and %d more", len(all)-most))
	}
	return strings.Join(names, ", ")
}

// unfit is why a column cannot be the place asked for, "" where it can.
func (c *column) unfit(what string) string {
	switch {
	case c.MaxRepetitionLevel() > 1:
		return "it holds lists of lists"
	case c.list && (what == "user" || what == "request"):
		return "it holds lists"
	case what == "time" && c.time() == nil:
		return "its type is not a time, a number or text"
	case what == "clicked" && c.text() == nil && c.Type().Kind() != parquet.Boolean:
		return "its type is not a boolean, a number or text"
	case what != "time" && what != "clicked" && c.text() == nil:
		return "its type is neither a number nor text"
	}
	return ""
}

// known are names that columns have in logs, in the order in which they are proposed.
var known = [...][]string{
	{"user", "user_id", "userid", "uid", "visitor_id", "customer_id", "session_id", "session"},
	{
		"article", "article_ids_inview", "article_id_fixed", "article_id", "articleid", "item", "item_id", "itemid",
		"items", "news_id", "product_id", "content_id", "url", "page",
	},
	{
		"time", "timestamp", "ts", "event_time", "event_timestamp", "impression_time", "impression_time_fixed",
		"datetime", "created_at", "date",
	},
}

// suggest is a flag that would have worked, as far as names tell.
func (c columns) suggest(all []*column) string {
	var parts []string
	for i, p := range c.places()[:3] {
		name := "..."
		if at := slices.IndexFunc(all, func(c *column) bool { return c.name == *p.name }); at >= 0 {
			name = all[at].name
		} else {
			name = guess(all, known[i], p.what)
		}
		parts = append(parts, p.what+"="+name)
	}
	return "try --columns " + strings.Join(parts, ",")
}

// guess is the column that has one of the names, whatever its case and what it lies in, or "...".
func guess(all []*column, names []string, what string) string {
	for _, name := range names {
		for _, c := range all {
			last := c.name[strings.LastIndexByte(c.name, '.')+1:]
			if (strings.EqualFold(c.name, name) || strings.EqualFold(last, name)) && c.unfit(what) == "" {
				return c.name
			}
		}
	}
	return "..."
}
