package resp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/traffic"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Every command and what it answers, one after the other and all at once. What is wrong is said, and changes nothing.
func TestCommands(t *testing.T) {
	var commands, want []string
	wrong := 0
	for line := range strings.Lines(string(strategytest.Value(os.ReadFile("testdata/commands.txt")))) {
		if command, answer, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " => "); ok {
			commands, want = append(commands, command), append(want, answer)
			if answer[0] == '-' {
				wrong++
			}
		}
	}
	for _, together := range []int{1, len(commands)} {
		_, in, address, _ := served(t, "", "", nil)
		c := dial(t, address)
		var answers []string
		for some := range slices.Chunk(commands, together) {
			answers = append(answers, c.ask(some...)...)
		}
		for i, command := range commands {
			strategytest.Equal(t, answers[i], want[i], "%d together: %s", together, command)
		}
		strategytest.Equal(t, strategytest.ErrorOf(c.ReadByte()), io.EOF, "after QUIT")
		strategytest.Equal(t, counted(in, "dejavu_refused_total", "400"), float64(wrong), "refused commands")
	}
	_, in, address, _ := served(t, "", "", nil)
	for line, want := range map[string]string{
		"INFO":                "redis_version:7.0.0\r\nredis_mode:standalone\r\narch_bits:",
		"INFO everything":     "# Commandstats",
		"INFO keyspace":       "# Keyspace\r\n\r\n",
		"INFO x server stats": "# Stats\r\ntotal_connections_received:",
		"CLIENT INFO":         "addr=127.0.0.1:",
	} {
		strategytest.Contains(t, dial(t, address).ask(line)[0], want, "%s", line)
	}
	// Words in a line, for people; a browser that is made to speak to the service is not listened to, nor who has quit.
	for last, want := range map[string]string{
		"POST / HTTP/1.1": "-ERR unknown command 'POST', want " + mostly, "QUIT": "OK",
	} {
		c := dial(t, address)
		fmt.Fprint(c.Conn, "SHOW "+last[:1]+" 1 a b\r\n"+last+"\r\nSHOW ann 1 a b\r\n")
		strategytest.Equal(t, c.answer()+c.answer()+c.answer(), "[a]"+want+"EOF", "in lines")
	}
	c := dial(t, address)
	fmt.Fprint(c.Conn, strings.Repeat("INFO\r\n", 170)) // whose answers are sent in parts
	for n := range 170 {
		strategytest.Contains(t, c.answer(), "# Server", "answer %d", n)
	}
	fmt.Fprint(c.Conn, encoded("SHOW ann 1 c")+"*x\r\n")
	strategytest.Equal(t, c.answer()+c.answer(), `[c]-ERR Protocol error: invalid length "*x"`, "before what is none")
	for range 20 { // who is still sending gets no reset, which could overtake the answer
		time.Sleep(time.Millisecond)
		strategytest.Value(io.WriteString(c.Conn, "more"))
	}
	strategytest.Equal(t, counted(in, "dejavu_refused_total", "400"), 2, "a browser's command and that are counted")
}

// BF.CARD counts at least the window, and only what is recognised.
func TestHeld(t *testing.T) {
	for _, name := range []string{"chain", "beyond/matrix"} {
		l := strategytest.Value(layout.Make(layout.Choice{Name: name, Window: 60, FPR: 0.05}))
		c := session{Server: &Server{Layout: l}}
		var history []byte
		var ids []strategies.ID
		for n := range 300 {
			held, seen := c.held(history), make([]bool, n)
			l.Seen(history, ids, seen)
			strategytest.Between(t, held, l.Theory.Window(n), n, "articles of %d that %s counts", n, name)
			strategytest.Equal(t, slices.Contains(seen[n-held:], false), false, "one of %d is not recognised", held)
			ids = append(ids, strategies.Number(uint64(n)))
			history = l.Record(history, ids[n:])
		}
	}
}

// Commands that are drawn, and sent together, are answered as a model of exact sets answers them one by one.
func TestDrawn(t *testing.T) {
	_, _, address, _ := served(t, "", "", nil, layout.Choice{Name: "queue"})
	c, random, seen := dial(t, address), rand.New(rand.NewPCG(1, 1)), map[string]map[string]bool{}
	for range 60 {
		var lines, want []string
		for range 1 + random.IntN(40) {
			user, keys := fmt.Sprint("user", random.IntN(7)), []string{}
			for range 1 + random.IntN(8) {
				keys = append(keys, fmt.Sprint("key", random.IntN(40)))
			}
			if seen[user] == nil {
				seen[user] = map[string]bool{}
			}
			has, all, answer := seen[user], strings.Join(keys, " "), []string{}
			switch kind, limit := random.IntN(8), 1+random.IntN(4); {
			case kind < 4:
				lines = append(lines, fmt.Sprintf("SHOW %s %d %s", user, limit, all))
				for _, key := range keys {
					if !has[key] && len(answer) < limit {
						answer, has[key] = append(answer, key), true
					}
				}
				want = append(want, fmt.Sprint(answer))
			case kind < 6:
				lines, want = append(lines, "RECORD "+user+" "+all), append(want, "OK")
				for _, key := range keys {
					has[key] = true
				}
			case kind < 7:
				lines = append(lines, "SEEN "+user+" "+all)
				for _, key := range keys {
					answer = append(answer, map[bool]string{false: "0", true: "1"}[has[key]])
				}
				want = append(want, fmt.Sprint(answer))
			default:
				lines, want = append(lines, "FORGET "+user), append(want, "OK")
				clear(has)
			}
		}
		strategytest.EqualSlices(t, c.ask(lines...), want, "answers to %q", lines)
	}
	c.ask("SHOW ann 1 a")
	const uncounted = "[[0] -ERR strategy queue does not count what it holds]"
	strategytest.Equal(t, fmt.Sprint(c.ask("BF.INFO ann ITEMS", "BF.CARD ann")), uncounted, "how many are remembered")
}

// All shows of a pipeline are one call; records run at once, but one user's in turn.
func TestPipeline(t *testing.T) {
	w, in, address, stop := served(t, "", "", nil)
	var lines, want []string
	for i := range 16 {
		lines, want = append(lines, fmt.Sprintf("SHOW user%d 1 a b", i%8)), append(want, []string{"[a]", "[b]"}[i/8])
	}
	c := dial(t, address)
	strategytest.EqualSlices(t, c.ask(lines...), want, "shown")
	strategytest.Equal(t, [2]int64{w.calls[0].Load(), w.calls[1].Load()}, [2]int64{1, 16}, "calls and requests")
	lines = nil
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("SHOW user%d 1 c", i))
	}
	c.ask(lines...)
	strategytest.Equal(t, w.calls[0].Load(), 3, "calls, as one has at most 20 requests")
	c.ask("RECORD slow1 a", "RECORD slow2 a", "RECORD slow3 a", "RECORD slow4 a", "RECORD slow5 a", "RECORD slow6 a")
	strategytest.Equal(t, w.most.Load(), 4, "records at once, as the limits say")
	w.most.Store(0)
	got := c.ask("RECORD slow1 b", "FORGET slow1", "RECORD slow1 c", "SEEN slow1 b c")
	strategytest.Equal(t, fmt.Sprint(got[3], " ", w.most.Load()), "[0 1] 1", "seen, and records of one user at once")
	// Nothing is recorded for users served elsewhere, and the rest is answered.
	own, elsewhere := w.Keeper.(*keeper.Keeper), exposure.Partition("bob", 4)
	own.Drop(t.Context(), []int{elsewhere}, false)
	here := "ann"
	for i := 0; exposure.Partition(here, 4) == elsewhere; i++ {
		here = fmt.Sprint("ann", i)
	}
	got = c.ask("SHOW "+here+" 1 a", "SHOW bob 1 a", "SHOW "+here+" 1 a b")
	const away = "-TRYAGAIN not served here"
	strategytest.EqualSlices(t, got, []string{"[a]", away, "[b]"}, "where one is served elsewhere")
	// A keeper's failure has its word, and is logged if it is the service's. No command takes a name that is too long.
	var said strings.Builder
	before, asked := slog.Default(), 0
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	for _, of := range []struct {
		err  error
		want string
	}{
		{exposure.ErrElsewhere, away},
		{exposure.ErrUnavailable, "-UNAVAILABLE it may be recorded: unavailable"},
		{fmt.Errorf("a: %w", context.DeadlineExceeded), "-TIMEOUT not durable in time; it may be recorded: a: context " +
			"deadline exceeded"},
		{errors.New("a\r\n+OK"), "-ERR a  +OK"},
	} {
		w.Keeper = failing{own, of.err}
		for _, lines := range asks {
			for line := range strings.SplitSeq(lines+"|BF.INSERT a NOCREATE ITEMS x", "|") {
				if name, _, _ := strings.Cut(line, " "); commands[name].kind != ofConnection {
					asked++
					strategytest.Equal(t, c.ask(line)[0], of.want, "%s, with %v", line, of.err)
				}
				if long := strings.Replace(line+" ", " a ", " uuuuuuuuuuuuuuuuu ", 1); long != line+" " {
					strategytest.Equal(t, c.ask(long)[0], "-ERR user has 17 bytes, want 1 to 16", "%s", long)
				}
			}
		}
	}
	for code, want := range map[string]float64{"ok": 1, "unavailable": 2, "deadline_exceeded": 1, "internal": 1} {
		n := counted(in, "dejavu_calls_total", "RECORD", code)
		strategytest.Equal(t, n == want || n > want && code == "ok", true, "%v records are counted as %s", n, code)
	}
	stats := c.ask("INFO commandstats")[0]
	want = regexp.MustCompile(`cmdstat_record:calls=\d+,usec=\d+,.*,failed_calls=8\r`).FindAllString(stats, -1)
	strategytest.Equal(t, len(want), 1, "the failed calls of RECORD in %s", stats)
	// A command that panics ends its connection alone, and is logged.
	w.Keeper = nil
	strategytest.Equal(t, dial(t, address).ask("SEEN ann a")[0], "EOF", "a command that panics")
	strategytest.Must(t, stop())
	slog.SetDefault(before)
	log.SetOutput(os.Stderr) // SetDefault has led it to said
	strategytest.Equal(t, strings.Count(said.String(), "a command failed"), asked/2, "events of %d failures", asked)
	for _, want := range []string{`"a command failed" command=SEEN error="a\r\n+OK"`, "a command panicked"} {
		strategytest.Contains(t, said.String(), want, "events")
	}
}

// At a stop a connection ends after answering what was received. Commands that take too long are cut off.
func TestStop(t *testing.T) {
	for _, want := range [][2]string{{"", "[a]"}, {"1 connections were cut off after 500ms", "EOF"}} {
		w, _, address, stop := served(t, "", "idle_time: 2s, request_time: 1m, stop_time: 500ms", nil)
		w.wait = make(chan struct{})
		c := dial(t, address)
		fmt.Fprint(c.Conn, encoded("SHOW ann 1 a"))
		time.Sleep(300 * time.Millisecond) // more than a tenth of the time to be silent
		time.AfterFunc(map[bool]time.Duration{true: 50 * time.Millisecond, false: 2 * time.Second}[want[0] == ""],
			func() { close(w.wait) })
		began := time.Now()
		strategytest.ErrorSays(t, "the end", stop(), want[0])
		strategytest.AtMost(t, time.Since(began), time.Second, "the time of a stop, less than a silent connection's")
		strategytest.Equal(t, c.answer(), want[1], "after the end")
	}
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	l.Close()
	s := &Server{Traffic: traffic.New(limits(""), nil)}
	strategytest.ErrorSays(t, "closed", s.Serve(t.Context(), l, nil), "resp: accept")
}

// A command that takes too long is told so in time, and the next one has its own time.
func TestRequestTime(t *testing.T) {
	w, _, address, _ := served(t, "", "request_time: 200ms", nil)
	c := dial(t, address)
	for range 2 {
		w.wait = make(chan struct{})
		began := time.Now()
		got := c.ask("SHOW ann 1 a")[0]
		strategytest.Contains(t, got, "-TIMEOUT", "the answer")
		strategytest.Between(t, time.Since(began).Milliseconds(), 150, 1000, "milliseconds")
		close(w.wait)
		for range 30 { // which share deadlines
			time.Sleep(10 * time.Millisecond)
			strategytest.Contains(t, c.ask("SHOW ann 1 b")[0], "[", "afterwards")
		}
	}
}

const token = "a-token-of-sixteen"

// Without the token nothing is answered, and little is received.
func TestToken(t *testing.T) {
	long := strings.Repeat("a", 5000)
	_, in, address, _ := served(t, token, "body_bytes: 8192", nil)
	c := dial(t, address)
	const stranger = "-NOAUTH Authentication required."
	for one := range slices.Chunk([]string{ // commands and the beginnings of their answers, in turn
		"PING", stranger, "SHOW ann 1 a", stranger, "HELLO 3", "-NOAUTH HELLO must be called",
		"AUTH wrong", "-WRONGPASS", "HELLO 3 AUTH default wrong", "-WRONGPASS",
		"AUTH " + token, "OK", "PING", "PONG", "RESET", "RESET", "PING", stranger,
		"AUTH default " + token, "OK", "RESET", "RESET", "HELLO 2 AUTH default " + token, "[server dejavu",
		"SHOW ann 1 a", "[a]", "PING " + long, long, "RESET", "RESET",
		"PING " + long, "-ERR Protocol error: a command is too long, want at most 4096 bytes",
	}, 2) {
		got := c.ask(one[0])[0]
		strategytest.Equal(t, got[:min(len(got), len(one[1]))], one[1], "%.40s", one[0])
	}
	strategytest.Equal(t, strategytest.ErrorOf(c.ReadByte()), io.EOF, "a stranger's connection after that")
	strategytest.Equal(t, counted(in, "dejavu_refused_total", "413"), 1, "commands that are counted as too long")
}

// asks has every command, by the right that it needs.
var asks = map[traffic.Right]string{
	traffic.None: "AUTH x|HELLO|RESET|QUIT|MULTI|EXEC|DISCARD",
	traffic.Read: "SEEN a x|BF.EXISTS a x|BF.MEXISTS a x|BF.INFO a|BF.RESERVE a 0.1 9|COMMAND|PING|ECHO x|INFO|" +
		"BF.CARD a|EXISTS a|DBSIZE|CLIENT ID|CONFIG GET x|SELECT 0",
	traffic.Write: "SHOW a 1 x|SHOWID i a 1 x|RECORD a x|RECORDID i a x|BF.ADD a x|BF.MADD a x|BF.INSERT a ITEMS x",
	traffic.Admin: "FORGET a|DEL a|UNLINK a|FLUSHDB|FLUSHALL",
}

// remote is a connection from another machine.
type remote struct{ net.Conn }

func (remote) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 7} }

// Each command asks for its right. A token that allows less from now on does so on connections that are open.
func TestRights(t *testing.T) {
	_, in, address, _ := served(t, "a-token-of-admins", "", nil)
	denied := 0
	for own := traffic.Read; own <= traffic.Admin; own++ {
		in.SetTokens(traffic.Tokens{traffic.KeyOf("a-token"): own})
		asked := 0
		for need, lines := range asks {
			for line := range strings.SplitSeq(lines, "|") {
				name, _, _ := strings.Cut(strings.ToLower(line), " ")
				want := fmt.Sprintf("-NOPERM this user has no permissions to run the '%s' command: "+
					"the token's right is %v, want %v", name, own, need)
				got := dial(t, address).ask("AUTH a-token", line)[1]
				if (got == want) != (own < need) || strings.HasPrefix(got, "-NOPERM") != (own < need) {
					t.Errorf("%v may %s: %s", own, line, got)
				}
				asked++
				denied += map[bool]int{true: 1}[own < need]
			}
		}
		strategytest.Equal(t, asked, len(commands), "commands that were asked")
	}
	strategytest.Equal(t, counted(in, "dejavu_refused_total", "403"), float64(denied), "refused commands")
	far := session{Server: &Server{Traffic: traffic.New(limits(""), nil)}, conn: remote{}}
	strategytest.Equal(t, far.doFlush("FLUSHDB", nil), errDenied, "FLUSHDB from elsewhere without tokens")
	c := dial(t, address)
	c.ask("AUTH a-token")
	for _, right := range []traffic.Right{traffic.Read, traffic.None, traffic.Admin} {
		in.SetTokens(traffic.Tokens{traffic.KeyOf("a-token"): right})
		stranger := right == traffic.None
		bytes := map[bool]int{true: strangersBytes - 100, false: 1000}[stranger]
		got := fmt.Sprintf("%.4q", c.ask("SEEN b x", "FORGET b", "PING "+strings.Repeat("a", bytes)))
		want := []string{`["-NOA" "-NOA" "-NOA"]`, `["[0]" "-NOP" "aaaa"]`, "", `["[0]" "OK" "aaaa"]`}[right]
		strategytest.Equal(t, got, want, "a token that allows %v now", right)
	}
}

// Commands beyond the limits are refused, and counted.
func TestLimits(t *testing.T) {
	w, in, address, _ := served(t, "", "connections: 6, request_time: 1m", nil)
	long := dial(t, address).ask("PING " + strings.Repeat("a", 2100))[0]
	strategytest.Equal(t, long, "-ERR Protocol error: a command is too long, want at most 2048 bytes", "a long one")
	w.wait = make(chan struct{})
	var busy []*caller
	for i := range 4 {
		c := dial(t, address)
		fmt.Fprint(c.Conn, encoded(fmt.Sprintf("SHOW user%d 1 a", i)))
		busy = append(busy, c)
	}
	for w.calls[0].Load() < 4 {
		time.Sleep(time.Millisecond)
	}
	c := dial(t, address)
	many := []string{"-TRYAGAIN too much at once: 4 requests at once, try again", "PONG"}
	strategytest.EqualSlices(t, c.ask("SHOW ann 1 a", "PING"), many, "one too many, and one that asks for nothing")
	strategytest.Equal(t, counted(in, "dejavu_refused_total", "503"), 1, "what is counted as refused")
	// A command that does not come whole does not stay, nor does it keep others from coming.
	half := dial(t, address)
	fmt.Fprint(half.Conn, "*2\r\n$4\r\nPI")
	for range 20 {
		strategytest.Equal(t, dial(t, address).ask("PING")[0], "PONG", "beside half a command")
	}
	_, _, other, _ := served(t, "", "read_time: 900ms", nil)
	parts := dial(t, other)
	for _, part := range strings.SplitAfter(encoded("PING")+encoded("PING"), "PI") { // each command has its own time
		fmt.Fprint(parts.Conn, part)
		time.Sleep(600 * time.Millisecond)
	}
	strategytest.Equal(t, parts.answer()+parts.answer(), "PONGPONG", "after two commands that came in parts")
	_, _, other, _ = served(t, "", "idle_time: 400ms", nil)
	c = dial(t, other)
	c.ask("PING")
	strategytest.Equal(t, strategytest.ErrorOf(c.ReadByte()), io.EOF, "a silent connection, after its time")
	close(w.wait)
	for _, c := range busy {
		strategytest.Equal(t, c.answer(), "[a]", "when there is time")
	}
}
