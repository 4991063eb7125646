package resp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"dejavu/live/traffic"
	"dejavu/strategies"
)

// A command is a command for callers.
type command struct {
	need  traffic.Right // of the token
	kind  kind
	least int // words, its own included
	most  int // 0: any number
	usage string
	do    func(c *session, name string, args [][]byte) error
}

// A kind says when a command is answered, and whether it is counted among the calls.
type kind int

const (
	ofConnection kind = iota // at once; it asks nothing of the keeper, and is not counted
	alone                    // after those before it
	batched                  // with those beside it
)

// commands are all commands, by name.
var commands map[string]*command

func init() {
	const none, read, write, admin = traffic.None, traffic.Read, traffic.Write, traffic.Admin
	commands = map[string]*command{
		"AUTH":    {none, ofConnection, 2, 3, "[user] token", (*session).doAuth},
		"HELLO":   {none, ofConnection, 1, 7, "[2 | 3 [AUTH user token] [SETNAME name]]", (*session).doHello},
		"RESET":   {none, ofConnection, 1, 1, "", (*session).doReset},
		"MULTI":   {none, ofConnection, 1, 0, "", (*session).doMulti},
		"EXEC":    {none, ofConnection, 1, 1, "", (*session).doMulti},
		"DISCARD": {none, ofConnection, 1, 1, "", (*session).doMulti},
		"QUIT":    {none, ofConnection, 1, 0, "", (*session).doQuit},
		"PING":    {read, ofConnection, 1, 2, "[message]", (*session).doPing},
		"ECHO":    {read, ofConnection, 2, 2, "message", (*session).doPing},
		"INFO":    {read, ofConnection, 1, 0, "[section ...]", (*session).doInfo},
		"COMMAND": {read, ofConnection, 1, 0, "[DOCS | INFO]", (*session).doCommand},
		"CLIENT":  {read, ofConnection, 2, 0, "ID | GETNAME | SETNAME name | INFO", (*session).doClient},
		"CONFIG":  {read, ofConnection, 3, 0, "GET pattern [pattern ...]", (*session).doConfig},
		"SELECT":  {read, ofConnection, 2, 2, "0", (*session).doSelect},
		"DBSIZE":  {read, ofConnection, 1, 1, "", (*session).doSize},

		"SEEN":       {read, alone, 3, 0, "user key [key ...]", (*session).doSeen},
		"EXISTS":     {read, alone, 2, 0, "user [user ...]", (*session).doUsers},
		"BF.EXISTS":  {read, alone, 3, 3, "key item", (*session).doSeen},
		"BF.MEXISTS": {read, alone, 3, 0, "key item [item ...]", (*session).doSeen},
		"BF.CARD":    {read, alone, 2, 2, "key", (*session).doCard},
		"BF.RESERVE": {read, alone, 4, 7, "key error_rate capacity [EXPANSION n | NONSCALING]", (*session).doReserve},
		"BF.INFO":    {read, alone, 2, 3, "key [CAPACITY | SIZE | FILTERS | ITEMS | EXPANSION]", (*session).doFilterInfo},

		"SHOW":     {write, batched, 4, 0, "user limit key [key ...]", (*session).doShow},
		"SHOWID":   {write, batched, 5, 0, "id user limit key [key ...]", (*session).doShow},
		"RECORD":   {write, batched, 3, 0, "user key [key ...]", (*session).doRecord},
		"RECORDID": {write, batched, 4, 0, "id user key [key ...]", (*session).doRecord},
		"BF.ADD":   {write, batched, 3, 3, "key item", (*session).doAdd},
		"BF.MADD":  {write, batched, 3, 0, "key item [item ...]", (*session).doAdd},
		"BF.INSERT": {write, batched, 4, 0, "key [CAPACITY n] [ERROR rate] [EXPANSION n | NONSCALING] [NOCREATE] " +
			"ITEMS item [item ...]", (*session).doInsert},

		"FORGET":   {admin, batched, 2, 2, "user", (*session).doForget},
		"DEL":      {admin, alone, 2, 0, "user [user ...]", (*session).doUsers},
		"UNLINK":   {admin, alone, 2, 0, "user [user ...]", (*session).doUsers},
		"FLUSHDB":  {admin, alone, 1, 2, "[ASYNC | SYNC]", (*session).doFlush},
		"FLUSHALL": {admin, alone, 1, 2, "[ASYNC | SYNC]", (*session).doFlush},
	}
}

// inMulti are the commands carried out between MULTI and EXEC.
var inMulti = []string{"EXEC", "DISCARD", "RESET", "QUIT"}

// mostly names the commands for a caller who types another.
const mostly = "SHOWID, SEEN, RECORDID, FORGET, DBSIZE, PING, INFO or a BF. command"

// execute answers a command, or adds it to the batch.
func (c *session) execute(words [][]byte) {
	word := words[0][:min(len(words[0]), 64)]
	name := strings.ToUpper(string(word))
	of, right := commands[name], c.Traffic.Right(c.key)
	switch {
	case c.multi && !slices.Contains(inMulti, name):
		c.refuse(400, "ERR "+name+" is not carried out: "+noMulti)
	case of == nil:
		c.refuse(400, "ERR unknown command '"+string(word)+"', want "+mostly)
		c.ending = bytes.HasSuffix(word, []byte{':'}) || name == "POST" // a browser's
	case right < of.need && right == traffic.None:
		c.most = strangersBytes
		c.refuse(401, "NOAUTH Authentication required.")
	case right < of.need:
		c.refuse(403, fmt.Sprintf("NOPERM this user has no permissions to run the '%s' command: "+
			"the token's right is %v, want %v", strings.ToLower(name), right, of.need))
	case len(words) < of.least || of.most > 0 && len(words) > of.most:
		c.refuse(400, "ERR wrong number of arguments for '"+name+"', want "+strings.TrimSpace(name+" "+of.usage))
	default:
		if of.kind != batched {
			c.flush() // answers come in turn
		}
		began := time.Now()
		if err := of.do(c, name, words[1:]); err != nil || of.kind == alone {
			c.flush()
			c.answered(name, began, err)
		}
	}
}

// refuse answers, in its turn, a command that is not carried out.
func (c *session) refuse(status int, text string) {
	c.flush()
	c.Traffic.Refuse(status)
	c.fail(text)
}

// request returns the number of a request whose first argument is an id, any string, and the other arguments. Without
// an id the number is 0.
func (c *session) request(name string, args [][]byte) (number uint64, others [][]byte) {
	if name != "SHOWID" && name != "RECORDID" {
		return 0, args
	}
	return max(1, uint64(c.Secret.Digest(args[0]))), args[1:]
}

func (c *session) user(name []byte) (string, error) {
	return string(name), c.Traffic.CheckUser(string(name))
}

func (c *session) userAndKeys(name []byte, keys [][]byte) (string, error) {
	user, err := c.user(name)
	return user, cmp.Or(err, c.Traffic.CheckArticles("the command", len(keys)))
}

func number(what string, b []byte) (int64, error) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, invalid("%s is %.20q, want a number", what, b)
	}
	return n, nil
}

func (c *session) doShow(name string, args [][]byte) error {
	request, args := c.request(name, args)
	limit, err := number("limit", args[1])
	if err != nil {
		return err
	}
	return c.add(request, args[0], limit, asked{name, args[2:], func(r *reply, keys [][]byte, shown []int) {
		r.array(len(shown))
		for _, at := range shown {
			r.bulk(keys[at])
		}
	}})
}

// doSeen answers SEEN, BF.EXISTS and BF.MEXISTS.
func (c *session) doSeen(name string, args [][]byte) error {
	user, err := c.userAndKeys(args[0], args[1:])
	if err != nil {
		return err
	}
	known := make([]bool, len(args)-1)
	err = c.ask(func(ctx context.Context) error { return c.Keeper.Seen(ctx, user, c.digests(args[1:]), known) })
	if err != nil {
		return err
	}
	if name != "BF.EXISTS" {
		c.array(len(known))
	}
	for _, is := range known {
		if name == "SEEN" {
			c.yes(is)
		} else {
			c.boolean(is)
		}
	}
	return nil
}

// doUsers counts the users with a history. DEL and UNLINK forget them.
func (c *session) doUsers(name string, args [][]byte) error {
	if err := c.Traffic.CheckRequests(len(args)); err != nil {
		return err
	}
	var found atomic.Int64
	err := c.ask(func(ctx context.Context) error {
		var all errgroup.Group
		all.SetLimit(c.Traffic.Limits.RequestsAtOnce)
		for _, arg := range args {
			all.Go(func() error {
				user, err := c.user(arg)
				if err != nil {
					return err
				}
				history, err := c.Keeper.History(ctx, user)
				if err != nil || len(history) == 0 {
					return err
				}
				found.Add(1)
				if name == "EXISTS" {
					return nil
				}
				return c.Keeper.Forget(ctx, user)
			})
		}
		return all.Wait()
	})
	if err == nil {
		c.integer(int(found.Load()))
	}
	return err
}

var errDenied = errors.New("it forgets all users: want a token of token_file, or without tokens a caller on loopback")

func (c *session) doFlush(string, [][]byte) error {
	if host, _, _ := net.SplitHostPort(c.conn.RemoteAddr().String()); c.Traffic.Open() && !net.ParseIP(host).IsLoopback() {
		return errDenied
	}
	err := c.ask(c.Keeper.Clear)
	if err == nil {
		c.simple("OK")
	}
	return err
}

func (c *session) doRecord(name string, args [][]byte) error {
	request, args := c.request(name, args)
	user, err := c.userAndKeys(args[0], args[1:])
	if err != nil {
		return err
	}
	c.write(name, user, args[1:], func(ctx context.Context, articles []strategies.ID) error {
		return c.Keeper.Record(ctx, user, request, articles)
	})
	return nil
}

func (c *session) doForget(name string, args [][]byte) error {
	user, err := c.user(args[0])
	if err != nil {
		return err
	}
	c.write(name, user, nil, func(ctx context.Context, _ []strategies.ID) error { return c.Keeper.Forget(ctx, user) })
	return nil
}
