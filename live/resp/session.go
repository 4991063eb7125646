package resp

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"dejavu/live/traffic"
)

func (c *session) logIn(token []byte) bool {
	key := traffic.KeyOf(string(token))
	if c.Traffic.Right(key) == traffic.None {
		c.refuse(401, "WRONGPASS invalid username-password pair or user is disabled.")
		return false
	}
	c.key, c.most = key, c.Traffic.Limits.BodyBytes
	return true
}

func (c *session) doAuth(_ string, args [][]byte) error {
	if c.Traffic.Open() && len(args) == 1 {
		return invalid("AUTH <password> called without any password configured: the service has no token_file")
	}
	if c.logIn(args[len(args)-1]) {
		c.simple("OK")
	}
	return nil
}

func (c *session) doHello(_ string, args [][]byte) error {
	three := c.three
	if len(args) > 0 {
		v := string(args[0])
		if v != "2" && v != "3" {
			c.refuse(400, "NOPROTO unsupported protocol version")
			return nil
		}
		three, args = v == "3", args[1:]
	}
	name := c.name
	for len(args) > 0 {
		switch option := strings.ToUpper(string(args[0])); {
		case option == "AUTH" && len(args) > 2:
			if !c.logIn(args[2]) {
				return nil
			}
			args = args[3:]
		case option == "SETNAME" && len(args) > 1:
			name, args = string(args[1]), args[2:]
		default:
			return invalid("Syntax error in HELLO option %.20q", args[0])
		}
	}
	if c.Traffic.Right(c.key) == traffic.None {
		c.refuse(401, "NOAUTH HELLO must be called with the client already authenticated, or with AUTH user token")
		return nil
	}
	c.three, c.name = three, name
	c.pairs(7)
	c.texts("server", "dejavu", "version", version, "proto")
	c.integer(map[bool]int{false: 2, true: 3}[three])
	c.texts("id")
	c.integer(int(c.id))
	c.texts("mode", "standalone", "role", "master", "modules")
	c.array(0)
	return nil
}

func (c *session) doPing(_ string, args [][]byte) error {
	if len(args) == 0 {
		c.simple("PONG")
	} else {
		c.bulk(args[0])
	}
	return nil
}

func (c *session) doSize(string, [][]byte) error {
	c.integer(c.Keeper.Users())
	return nil
}

// doCommand describes no commands: clients know Redis's own.
func (c *session) doCommand(_ string, args [][]byte) error {
	if len(args) > 0 && strings.EqualFold(string(args[0]), "DOCS") {
		c.pairs(0)
	} else {
		c.array(0)
	}
	return nil
}

func (c *session) doClient(_ string, args [][]byte) error {
	switch what := strings.ToUpper(string(args[0])); {
	case what == "ID":
		c.integer(int(c.id))
	case what == "GETNAME":
		c.texts(c.name)
	case what == "SETNAME" && len(args) == 2:
		c.name = string(args[1])
		c.simple("OK")
	case what == "SETINFO" && len(args) == 3:
		c.simple("OK")
	case what == "INFO", what == "LIST": // nobody sees others
		c.texts(fmt.Sprintf("id=%d addr=%s name=%s\n", c.id, c.conn.RemoteAddr(), c.name))
	default:
		return invalid("unknown subcommand %.40q of CLIENT", args[0])
	}
	return nil
}

func (c *session) doConfig(_ string, args [][]byte) error {
	if !strings.EqualFold(string(args[0]), "GET") {
		return invalid("CONFIG %.20q: the configuration is a file, want CONFIG GET", args[0])
	}
	values := [][2]string{
		{"appendonly", "yes"},
		{"databases", "1"},
		{"maxclients", strconv.Itoa(c.Traffic.Limits.Connections)},
		{"save", ""},
		{"timeout", strconv.Itoa(int(c.Traffic.Limits.IdleTime.Seconds()))},
	}
	values = slices.DeleteFunc(values, func(of [2]string) bool {
		return !slices.ContainsFunc(args[1:], func(pattern []byte) bool {
			is, err := path.Match(strings.ToLower(string(pattern)), of[0])
			return err == nil && is
		})
	})
	c.pairs(len(values))
	for _, of := range values {
		c.texts(of[:]...)
	}
	return nil
}

func (c *session) doSelect(_ string, args [][]byte) error {
	if string(args[0]) != "0" {
		return invalid("DB index is out of range: there is only 0")
	}
	c.simple("OK")
	return nil
}

func (c *session) doReset(string, [][]byte) error {
	if c.three, c.multi, c.name, c.key = false, false, "", (traffic.Key{}); !c.Traffic.Open() {
		c.most = strangersBytes
	}
	c.simple("RESET")
	return nil
}

// noMulti answers MULTI.
const noMulti = "there are no transactions; send the commands in a pipeline without MULTI " +
	"(redis-py: pipeline(transaction=False), go-redis: Pipeline, Jedis: pipelined)"

// doMulti answers MULTI, EXEC and DISCARD. A transaction is refused as a whole: EXEC answers an error, as Redis does
// after a wrong command. If MULTI failed, clients would still send the commands.
func (c *session) doMulti(name string, _ [][]byte) error {
	if name != "MULTI" && !c.multi {
		return invalid("%s without MULTI", name)
	}
	if c.multi = name == "MULTI"; name == "EXEC" {
		c.refuse(400, "EXECABORT nothing was carried out: "+noMulti)
		return nil
	}
	c.simple("OK")
	return nil
}

func (c *session) doQuit(string, [][]byte) error {
	c.simple("OK")
	c.ending = true
	return nil
}
