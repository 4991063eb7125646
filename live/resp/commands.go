package resp

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"dejavu/live/exposure"
	"dejavu/live/traffic"
)

// A command is what a word stands for.
type command struct {
	About       string // its arguments and what it does
	Least, Most int    // words, its own included; -1: any number
	Session     bool   // it is of the connection alone, and not counted among the calls
	need        traffic.Right
	do          func(c *session, name string, args [][]byte) error
}

// commands are those of the service, of the Bloom module, and of connections, by their names.
var commands = map[string]*command{}

//go:embed commands.yaml
var described []byte

func init() {
	var all map[string]map[string]*command
	if err := yaml.Unmarshal(described, &all); err != nil {
		panic(err)
	}
	for right := traffic.None; right <= traffic.Admin; right++ {
		for name, c := range all[right.String()] {
			c.need, c.do = right, does[name]
			commands[name] = c
		}
	}
}

var does = map[string]func(c *session, name string, args [][]byte) error{
	"SHOW": (*session).doShow, "SHOWID": (*session).doShow, "SHOWALL": (*session).doShowAll, "SEEN": (*session).doSeen,
	"RECORD": (*session).doRecord, "RECORDID": (*session).doRecord, "FORGET": (*session).doForget,

	"BF.ADD": (*session).doAdd, "BF.MADD": (*session).doAdd, "BF.EXISTS": (*session).doExists,
	"BF.MEXISTS": (*session).doExists, "BF.RESERVE": (*session).doReserve, "BF.INFO": (*session).doInfo,

	"AUTH": (*session).doAuth, "HELLO": (*session).doHello, "PING": (*session).doPing, "ECHO": (*session).doPing,
	"INFO": (*session).doServerInfo, "COMMAND": (*session).doCommand, "CLIENT": (*session).doClient,
	"CONFIG": (*session).doConfig, "SELECT": (*session).doSelect, "RESET": (*session).doReset, "QUIT": (*session).doQuit,
	"MULTI": (*session).doMulti, "EXEC": (*session).doExec, "DISCARD": (*session).doDiscard,
}

// inMulti are the commands that are carried out between MULTI and EXEC.
var inMulti = []string{"EXEC", "DISCARD", "RESET", "QUIT"}

// execute answers a command, or adds it to the batch.
func (c *session) execute(words [][]byte) {
	name := strings.ToUpper(string(words[0][:min(len(words[0]), 64)]))
	of, right := commands[name], c.Traffic.Right(c.key)
	switch {
	case c.multi && !slices.Contains(inMulti, name):
		c.refuse(400, "ERR "+name+" is not carried out: "+noMulti)
	case of == nil:
		c.refuse(400, "ERR unknown command '"+string(words[0][:min(len(words[0]), 64)])+"'")
		c.ending = bytes.HasSuffix(words[0], []byte{':'}) || bytes.EqualFold(words[0], []byte("POST")) // that of a browser
	case right < of.need && right == traffic.None:
		c.most = strangersBytes
		c.refuse(401, "NOAUTH Authentication required.")
	case right < of.need:
		c.refuse(403, fmt.Sprintf("NOPERM this user has no permissions to run the '%s' command: "+
			"the token's right is %v, want %v", strings.ToLower(name), right, of.need))
	case len(words) < of.Least || of.Most >= 0 && len(words) > of.Most:
		c.refuse(400, "ERR wrong number of arguments for '"+name+"', want "+name+" "+of.About)
	default:
		if of.Session {
			c.flush() // answers come in turn
		}
		if err := of.do(c, name, words[1:]); err != nil {
			c.flush()
			c.answered(name, time.Now(), err)
		}
	}
}

// refuse answers a command that is not carried out, in its turn.
func (c *session) refuse(status int, text string) {
	c.flush()
	c.Traffic.Refuse(status)
	c.fail(text)
}

// request is the number of a request with an id, any string.
func (c *session) request(id []byte) uint64 { return max(1, uint64(c.Secret.Digest(id))) }

func (c *session) user(name []byte) (string, error) {
	return string(name), wrong(c.Traffic.CheckUser(string(name)))
}

func (c *session) userAndKeys(name []byte, keys [][]byte) (string, error) {
	user, err := c.user(name)
	return user, cmp.Or(err, wrong(c.Traffic.CheckArticles("the command", len(keys))))
}

func number(what string, b []byte) (int64, error) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, invalid("%s is %.20q, want a number", what, b)
	}
	return n, nil
}

// add adds a show to the batch, after what is wrong with it.
func (c *session) add(request uint64, user, limit []byte, keys [][]byte) error {
	n, err := number("limit", limit)
	if err != nil {
		return err
	}
	return c.addShow(request, user, n, keys)
}

func (c *session) addShow(request uint64, name []byte, limit int64, keys [][]byte) error {
	user, err := c.userAndKeys(name, keys)
	if err := cmp.Or(err, wrong(c.Traffic.CheckLimit(limit))); err != nil {
		return err
	}
	c.shows = append(c.shows, exposure.Show{User: user, Request: request, Candidates: c.digests(keys), Limit: int(limit)})
	c.keys = append(c.keys, keys)
	return nil
}

func chosenKeys(r *reply, keys [][]byte, shown []int) {
	r.array(len(shown))
	for _, at := range shown {
		r.bulk(keys[at])
	}
}

func (c *session) doShow(name string, args [][]byte) error {
	c.roomFor(1)
	request := uint64(0)
	if name == "SHOWID" {
		request, args = c.request(args[0]), args[1:]
	}
	if err := c.add(request, args[0], args[1], args[2:]); err != nil {
		return err
	}
	c.asked = append(c.asked, asked{name: name, shows: 1, answer: chosenKeys})
	return nil
}

func (c *session) doShowAll(name string, args [][]byte) error {
	n, err := number("n", args[0])
	if err := cmp.Or(err, wrong(c.Traffic.CheckRequests(int(min(n, 1<<31-1))))); err != nil {
		return err
	}
	c.roomFor(int(n))
	before := len(c.shows)
	if err := c.addAll(int(n), args[1:]); err != nil {
		c.shows, c.keys = c.shows[:before], c.keys[:before]
		return err
	}
	c.asked = append(c.asked, asked{name: name, shows: int(n), many: true, answer: chosenKeys})
	return nil
}

func (c *session) addAll(n int, args [][]byte) error {
	for i := range n {
		if len(args) < 3 {
			return invalid("%d requests, want %d", i, n)
		}
		count, err := number("count", args[2])
		if err != nil {
			return err
		}
		if count < 1 || count > int64(len(args)-3) {
			return invalid("requests[%d] has a count of %d, and %d words are left", i, count, len(args)-3)
		}
		if err := c.add(0, args[0], args[1], args[3:3+count]); err != nil {
			return invalid("requests[%d]: %w", i, err)
		}
		args = args[3+count:]
	}
	if len(args) > 0 {
		return invalid("%d words behind the last request", len(args))
	}
	return nil
}

// seen asks about keys.
func (c *session) seen(name string, user []byte, keys [][]byte, answer func([]bool)) error {
	c.flush()
	who, err := c.userAndKeys(user, keys)
	if err != nil {
		return err
	}
	known := make([]bool, len(keys))
	c.question(name, func(ctx context.Context) error {
		return c.Keeper.Seen(ctx, who, c.digests(keys), known)
	}, func() { answer(known) })
	return nil
}

func (c *session) doSeen(name string, args [][]byte) error {
	return c.seen(name, args[0], args[1:], func(known []bool) {
		c.array(len(known))
		for _, is := range known {
			c.yes(is)
		}
	})
}

func (c *session) doRecord(name string, args [][]byte) error {
	request := uint64(0)
	if name == "RECORDID" {
		request, args = c.request(args[0]), args[1:]
	}
	user, err := c.userAndKeys(args[0], args[1:])
	if err != nil {
		return err
	}
	c.roomForWrite(user)
	articles := c.digests(args[1:])
	c.writes = append(c.writes, write{name: name, user: user, do: func(ctx context.Context) error {
		return c.Keeper.Record(ctx, user, request, articles)
	}})
	return nil
}

func (c *session) doForget(name string, args [][]byte) error {
	user, err := c.user(args[0])
	if err != nil {
		return err
	}
	c.roomForWrite(user)
	c.writes = append(c.writes, write{name: name, user: user, do: func(ctx context.Context) error {
		return c.Keeper.Forget(ctx, user)
	}})
	return nil
}
