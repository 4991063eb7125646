package resp

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dejavu/strategies"
)

// doAdd adds: a user's history takes the place of a filter of the Bloom module, and adding is a show of the item alone.
func (c *session) doAdd(name string, args [][]byte) error {
	c.roomFor(1)
	if err := c.addShow(0, args[0], int64(len(args)-1), args[1:]); err != nil {
		return err
	}
	a := asked{name: name, shows: 1, answer: func(r *reply, _ [][]byte, shown []int) { r.boolean(len(shown) > 0) }}
	if name == "BF.MADD" {
		a.answer = func(r *reply, keys [][]byte, shown []int) {
			r.array(len(keys))
			for at := range keys {
				is := len(shown) > 0 && shown[0] == at
				if r.boolean(is); is {
					shown = shown[1:]
				}
			}
		}
	}
	c.asked = append(c.asked, a)
	return nil
}

func (c *session) doExists(name string, args [][]byte) error {
	return c.seen(name, args[0], args[1:], func(known []bool) {
		if name == "BF.MEXISTS" {
			c.array(len(known))
		}
		for _, is := range known {
			c.boolean(is)
		}
	})
}

// history gets a key's history.
func (c *session) history(name string, key []byte, answer func([]byte)) error {
	c.flush()
	user, err := c.user(key)
	if err != nil {
		return err
	}
	var history []byte
	c.question(name, func(ctx context.Context) (err error) {
		history, err = c.Keeper.History(ctx, user)
		return err
	}, func() { answer(history) })
	return nil
}

// doReserve promises nothing that the configuration does not.
func (c *session) doReserve(name string, args [][]byte) error {
	rate, err := strconv.ParseFloat(string(args[1]), 64)
	if err != nil || !(rate > 0 && rate < 1) {
		return invalid("error_rate is %.20q, want more than 0 and less than 1", args[1])
	}
	capacity, err := number("capacity", args[2])
	if err != nil {
		return err
	}
	if capacity < 1 || capacity > 1<<20 {
		return invalid("capacity is %d, want 1 to %d", capacity, 1<<20)
	}
	for rest := args[3:]; len(rest) > 0; rest = rest[1:] {
		switch option := strings.ToUpper(string(rest[0])); {
		case option == "NONSCALING":
		case option == "EXPANSION" && len(rest) > 1:
			if _, err := number("EXPANSION", rest[1]); err != nil {
				return err
			}
			rest = rest[1:]
		default:
			return invalid("option %.20q, want EXPANSION n or NONSCALING", rest[0])
		}
	}
	theory, ok := c.Layout.Strategy.(strategies.Theory)
	if !ok {
		return invalid("strategy %s promises nothing that could be compared", c.Layout.Name)
	}
	window, fpr := theory.Window(int(capacity)), theory.FPR(int(capacity))
	if window < int(capacity) || fpr > rate {
		return invalid("of %d articles strategy %s remembers the last %d, at a false positive rate of %.4g, "+
			"want %d and %.4g: set window and fpr in the configuration", capacity, c.Layout.Name, window, fpr, capacity, rate)
	}
	return c.history(name, args[0], func(history []byte) {
		if len(history) > 0 {
			c.fail("ERR item exists")
			return
		}
		c.simple("OK")
	})
}

// differences are those between a history and a filter of the Bloom module, a line each.
//
//go:embed differences.txt
var differences string

// fields are those of BF.INFO, as they are asked for and as they are called.
var fields = [][2]string{
	{"CAPACITY", "Capacity"},
	{"SIZE", "Size"},
	{"FILTERS", "Number of filters"},
	{"ITEMS", "Number of items inserted"},
	{"EXPANSION", "Expansion rate"},
}

func (c *session) doInfo(name string, args [][]byte) error {
	one := strings.ToUpper(string(bytes.Join(args[1:], nil)))
	at := slices.IndexFunc(fields, func(f [2]string) bool { return f[0] == one })
	if at < 0 && one != "" && one != "DIFFERENCES" {
		return invalid("field %.20q, want CAPACITY, SIZE, FILTERS, ITEMS, EXPANSION or DIFFERENCES", args[1])
	}
	return c.history(name, args[0], func(history []byte) {
		values := []int{c.Layout.Promised, len(history), 1, 0, 0}
		switch {
		case one == "DIFFERENCES":
			all := strings.Split(fmt.Sprintf(differences, c.Layout.Name, c.Layout.Promised), "\n")
			c.array(len(all))
			c.texts(all...)
		case len(history) == 0:
			c.fail("ERR not found")
		case at >= 0:
			c.array(1)
			c.integer(values[at])
		default:
			c.pairs(len(fields))
			for i, f := range fields {
				c.simple(f[1])
				c.integer(values[i])
			}
		}
	})
}
