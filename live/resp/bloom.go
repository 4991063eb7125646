package resp

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
)

// doAdd answers BF.ADD and BF.MADD: adding to a history is a show of the items alone.
func (c *session) doAdd(name string, args [][]byte) error {
	return c.add(0, args[0], int64(len(args)-1), asked{name, args[1:], func(r *reply, keys [][]byte, shown []int) {
		if name != "BF.ADD" {
			r.array(len(keys))
		}
		for at := range keys {
			is := len(shown) > 0 && shown[0] == at
			if r.boolean(is); is {
				shown = shown[1:]
			}
		}
	}})
}

// options reads the options of BF.RESERVE and BF.INSERT, and returns the words after ITEMS.
func options(words [][]byte, names ...string) (given map[string][]byte, items [][]byte, err error) {
	given = map[string][]byte{}
	for len(words) > 0 {
		name := strings.ToUpper(string(words[0]))
		switch {
		case !slices.Contains(names, name):
			return nil, nil, invalid("option %.20q, want %s", words[0], strings.Join(names, ", "))
		case name == "ITEMS":
			return given, words[1:], nil
		case name == "NONSCALING" || name == "NOCREATE":
			given[name], words = nil, words[1:]
		case len(words) == 1:
			return nil, nil, invalid("option %s has no value", name)
		default:
			given[name], words = words[1], words[2:]
		}
	}
	if n, expands := given["EXPANSION"]; expands {
		if _, fixed := given["NONSCALING"]; fixed {
			return nil, nil, invalid("EXPANSION and NONSCALING exclude each other: leave either out")
		}
		_, err = number("EXPANSION", n)
	}
	return given, nil, err
}

// suffices reports why the configured strategy is worse than what a caller asks for; nil asks for nothing.
func (c *session) suffices(errorRate, capacity []byte) (err error) {
	rate, n := 1.0, int64(max(1, c.Layout.Promised))
	if errorRate != nil {
		rate, err = strconv.ParseFloat(string(errorRate), 64)
		if err != nil || !(rate > 0 && rate < 1) {
			return invalid("error_rate is %.20q, want more than 0 and less than 1", errorRate)
		}
	}
	if capacity != nil {
		if n, err = number("capacity", capacity); err != nil {
			return err
		}
		if n < 1 || n > 1<<20 {
			return invalid("capacity is %d, want 1 to %d", n, 1<<20)
		}
	}
	if window, fpr := c.Layout.Theory.Window(int(n)), c.Layout.Theory.FPR(int(n)); window < int(n) || fpr > rate {
		return invalid("capacity %d and error_rate %.4g are more than this service gives: %s remembers the last %d articles "+
			"at a rate of %.4g; set window and fpr in the configuration", n, rate, c.Layout.Name, window, fpr)
	}
	return nil
}

// history returns a key's history, or an error if there must be one and is none.
func (c *session) history(key []byte, must bool) (history []byte, err error) {
	user, err := c.user(key)
	if err != nil {
		return nil, err
	}
	err = c.ask(func(ctx context.Context) (err error) {
		history, err = c.Keeper.History(ctx, user)
		return err
	})
	if err == nil && must && len(history) == 0 {
		err = invalid("not found")
	}
	return history, err
}

// doReserve reserves nothing: it says whether the configured strategy suffices.
func (c *session) doReserve(_ string, args [][]byte) error {
	_, _, err := options(args[3:], "EXPANSION", "NONSCALING")
	if err := cmp.Or(err, c.suffices(args[1], args[2])); err != nil {
		return err
	}
	history, err := c.history(args[0], false)
	if err == nil && len(history) > 0 {
		err = invalid("item exists")
	}
	if err == nil {
		c.simple("OK")
	}
	return err
}

// doInsert is BF.MADD if the configured strategy suffices, and with NOCREATE the key exists.
func (c *session) doInsert(name string, args [][]byte) error {
	given, items, err := options(args[1:], "CAPACITY", "ERROR", "EXPANSION", "NONSCALING", "NOCREATE", "ITEMS")
	if err == nil && len(items) == 0 {
		err = invalid("ITEMS are missing")
	}
	if rate, capacity := given["ERROR"], given["CAPACITY"]; err == nil && (rate != nil || capacity != nil) {
		err = c.suffices(rate, capacity)
	}
	if _, must := given["NOCREATE"]; must && err == nil {
		c.flush() // which may make it
		_, err = c.history(args[0], true)
	}
	if err != nil {
		return err
	}
	return c.doAdd(name, append([][]byte{args[0]}, items...))
}

// held returns how many items a history holds, or -1 if its strategy does not know.
func (c *session) held(history []byte) int {
	if of, ok := c.Layout.Strategy.(interface{ Held(history []byte) int }); ok {
		return of.Held(history)
	}
	return -1
}

func (c *session) doCard(_ string, args [][]byte) error {
	history, err := c.history(args[0], false)
	if err != nil {
		return err
	}
	n := c.held(history)
	if n < 0 {
		return invalid("strategy %s does not count what it holds", c.Layout.Name)
	}
	c.integer(n)
	return nil
}

// fields are the fields of BF.INFO: the words that ask for them, and their names.
var fields = [][2]string{
	{"CAPACITY", "Capacity"},
	{"SIZE", "Size"},
	{"FILTERS", "Number of filters"},
	{"ITEMS", "Number of items inserted"},
	{"EXPANSION", "Expansion rate"},
}

func (c *session) doFilterInfo(_ string, args [][]byte) error {
	one := strings.ToUpper(string(bytes.Join(args[1:], nil)))
	some := slices.DeleteFunc(slices.Clone(fields), func(f [2]string) bool { return one != "" && f[0] != one })
	if len(some) == 0 {
		return invalid("field %.20q, want CAPACITY, SIZE, FILTERS, ITEMS or EXPANSION", args[1])
	}
	history, err := c.history(args[0], true)
	if err != nil {
		return err
	}
	values := map[string]int{ // EXPANSION is 0: the Bloom module's nil is an error to go-redis
		"CAPACITY": c.Layout.Promised, "SIZE": len(history), "FILTERS": 1, "ITEMS": max(0, c.held(history)),
	}
	named := c.three || one == ""
	if named {
		c.pairs(len(some))
	} else {
		c.array(1)
	}
	for _, f := range some {
		if named {
			c.simple(f[1])
		}
		c.integer(values[f[0]])
	}
	return nil
}
