package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// columns are the names of the columns that hold what. Those that are empty are not asked for.
type columns [5]string

// What columns hold, by their places.
const (
	user = iota
	article
	when
	clicked
	request
)

var what = [...]string{"user", "article", "time", "clicked", "request"}

func (c *columns) parse(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		of, name, ok := strings.Cut(part, "=")
		i := slices.Index(what[:], of)
		if !ok || name == "" || i < 0 {
			return fmt.Errorf("%q, want WHAT=COLUMN, of user, article, time, clicked and request", part)
		}
		c[i] = name
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
	for i, name := range c {
		if name == "" {
			continue
		}
		at := slices.IndexFunc(all, func(c *column) bool { return c.name == name })
		if at < 0 {
			return found, fmt.Errorf("no column %q (%s): the file has %s; %s", name, what[i], list(all), c.suggest(all))
		}
		found[i] = all[at]
		if reason := found[i].unfit(i); reason != "" {
			return found, fmt.Errorf("column %s cannot be the %s: %s", found[i], what[i], reason)
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

// unfit is why a column cannot be what is asked for, "" where it can.
func (c *column) unfit(as int) string {
	switch {
	case c.MaxRepetitionLevel() > 1:
		return "it holds lists of lists"
	case c.list && (as == user || as == request):
		return "it holds lists"
	case c.as(as) != nil:
		return ""
	case as == when:
		return "its type is not a time, a number or text"
	case as == clicked:
		return "its type is not a boolean, a number or text"
	}
	return "its type is neither a number nor text"
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

// suggest is a flag that would have worked, as far as names tell: whatever their case, and what they lie in.
func (c columns) suggest(all []*column) string {
	parts := make([]string, len(known))
	for i := range known {
		parts[i] = what[i] + "=..."
		for _, name := range append([]string{c[i]}, known[i]...) {
			at := slices.IndexFunc(all, func(c *column) bool {
				last := c.name[strings.LastIndexByte(c.name, '.')+1:]
				return (strings.EqualFold(c.name, name) || strings.EqualFold(last, name)) && c.unfit(i) == ""
			})
			if at >= 0 {
				parts[i] = what[i] + "=" + all[at].name
				break
			}
		}
	}
	return "try --columns " + strings.Join(parts, ",")
}
