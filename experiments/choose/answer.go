package choose

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"dejavu/experiments/describe"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/internal/plural"
	"dejavu/results"
)

// Answer returns the answer for people in some ten lines: what to take, its Go code, and what a log's users would have
// seen with it. The log may be nil. Tables follow if asked for: what fits, what does not, and a log's windows.
func Answer(n Need, all []Offer, log *Log, tables bool) (blocks []document.Block) {
	take, _ := Recommended(all)
	say := func(format string, args ...any) {
		blocks = append(blocks, document.Paragraph(fmt.Sprintf(format, args...)))
	}
	if log != nil && log.Repeats < leastRepeats {
		say("**The log has %s**: fewer than %d say little about the window, and --window sets one.", repeats(log.Repeats),
			leastRepeats)
	}
	say("%s", advice(n, all, log))
	code := []string{take.Go}
	if log != nil && take.Fits {
		code = log.Go
	}
	if take.Fits {
		blocks = append(blocks, document.Code(strings.Join(code, "\n")))
	}
	if log != nil && log.Seen != nil {
		say("Over the whole log it recognises %s of %s, and reports %s of the unseen as seen. "+
			"No repeat is older than the log, %.3g days.", ratio(log.Seen.Recognised, log.Seen.Repeats),
			repeats(log.Seen.Repeats),
			ratio(log.Seen.FalsePositives, log.Seen.Unseen), log.Days)
	}
	if log != nil && log.Held != nil {
		say("%s", log.heldOut())
	}
	if tables {
		if log != nil {
			blocks = append(blocks, log.blocks()...)
		}
		return append(blocks, offers(n, all)...)
	}
	next := "`choose --log FILE` takes the window from a log of yours; "
	if log != nil {
		next = ""
		if log.Recommended != "" {
			next = fmt.Sprintf("`%s` shows its repeats by age and cause; ", log.replay())
		}
	}
	if log == nil || !take.Fits {
		next = asked(n, all) + " Next: " + next
	} else {
		next = "Next: " + next
	}
	say("%s--all has the tables behind this.", next)
	if log != nil && len(log.Figures) > 0 {
		say("The figure is in %s.", document.Literal(log.Figures[0]))
	}
	return blocks
}

func advice(n Need, all []Offer, log *Log) string {
	take, runnerUp := Recommended(all)
	if !take.Fits {
		return "**No strategy fits.** " + nearest(n, all)
	}
	memory := bytesText(take.Total)
	if log != nil && log.Seen != nil {
		memory += fmt.Sprintf(" with full histories, %s with those of the log's end", bytesText(log.Seen.Expected))
	}
	said := fmt.Sprintf("%s %s users take %s, including %d B per user in the store. ",
		Sentence(take.summary(), runnerUp.summary()), text.Thousands(n.Users), memory, n.StoreBytes())
	if take.kind.endless {
		said += fmt.Sprintf("Nothing that fits keeps its window for ever. The FPR is at most %s for a user's first %d "+
			"articles, and keeps growing after them. ", text.Percent(n.FPR), take.Until)
	} else {
		said += fmt.Sprintf("It always recognises the last %s, with an FPR of at most %s, %s on average. ",
			articles(take.Window), text.Percent(take.FPR), text.Percent(take.FPRMean))
	}
	if take.Request == 0 {
		return said + "Its time was not measured at this size."
	}
	return said + Request
}

// asked repeats what was asked for, and says how many strategies fit.
func asked(n Need, all []Offer) string {
	memory := "no limit on memory"
	if n.Memory > 0 {
		memory = "in " + cmp.Or(n.MemoryTyped, text.Bytes(float64(n.Memory)))
	}
	fit, fitting := "", Fitting(all)
	if fitting > 0 {
		fit = fmt.Sprintf(": %d of %s fit", fitting, plural.Of(len(all), "strategy", "strategies"))
	}
	if fitting == 1 {
		fit += "s"
	}
	return fmt.Sprintf("%s users, the last %s remembered at every moment, an FPR of at most %s, %s%s.",
		text.Thousands(n.Users), articles(n.Window), text.Percent(n.FPR), memory, fit)
}

// nearest names the least change of each constraint that makes something fit which keeps its window for ever.
func nearest(n Need, all []Offer) string {
	var ways []string
	// A change is what an offer asks for, the less the better, or 0 if it does not help.
	way := func(format string, show func(float64) string, change func(Offer) float64) {
		least, best := 0., Offer{}
		for _, o := range all {
			if v := change(o); !o.kind.endless && v != 0 && (least == 0 || v < least) {
				least, best = v, o
			}
		}
		if least != 0 {
			ways = append(ways, fmt.Sprintf(format, show(least), short(best.Strategy)))
		}
	}
	if n.Memory > 0 {
		way("give %s, which %s takes", bytesText[float64], func(o Offer) float64 { return float64(o.Total) })
	}
	way("accept an FPR of %s (%s)", text.Percent, func(o Offer) float64 {
		if o.PossibleFPR <= n.FPR {
			return 0
		}
		return o.PossibleFPR
	})
	way("remember the last %s articles (%s)", func(v float64) string { return fmt.Sprint(-v) },
		func(o Offer) float64 { return float64(-o.PossibleWindow) })
	if ways == nil {
		return "Relaxing one constraint alone does not help."
	}
	sentence := strings.Join(ways, ", or ")
	return strings.ToUpper(sentence[:1]) + sentence[1:] + "."
}

// heldOut says how the advice from the log's first part fares on the last.
func (l *Log) heldOut() string {
	h := l.Held
	said := fmt.Sprintf("The last fifth of the log's time, from %s on, was held out. The log before it ",
		time.Unix(h.From, 0).UTC().Format("2006-01-02 15:04"))
	if h.Why != "" {
		return said + fmt.Sprintf("gives no answer: %s.", h.Why)
	}
	first := h.First
	if first.Seen == nil {
		return said + fmt.Sprintf("needs a window of %d, which no strategy that fits has.", first.Needed.Window)
	}
	late := func(l *Log) string {
		s := l.Seen.Late
		return fmt.Sprintf("%s of %s, and reports %s of the unseen as seen",
			ratio(s.Recognised, s.Repeats), repeats(s.Repeats), ratio(s.FalsePositives, s.Fresh))
	}
	said += fmt.Sprintf("recommends %s for %s, %s. In the held-out part this recognises %s, in %s of at most "+
		"%s. The answer above recognises %s.", short(first.Recommended), articles(first.Needed.Window), first.forgotten(""),
		late(first), bytesText(first.Seen.Expected), bytesText(first.Total), late(l))
	switch {
	case first.Seen.Late.Repeats < leastRepeats:
		said += " With so few repeats this says little."
	case h.Worse && h.Needed > 0:
		said += fmt.Sprintf(" **CLEARLY WORSE** than the %s asked for: it would have taken a window of %d. "+
			"--window %d asks for it; a longer log "+
			"would show more of the repeats that come late.", text.Percent(l.Share), h.Needed, h.Needed)
	case h.Worse:
		said += fmt.Sprintf(" **CLEARLY WORSE** than the %s asked for: no window would have been long enough. "+
			"--idle 0 never forgets a history; a "+
			"longer log would show more of the repeats that come late.", text.Percent(l.Share))
	}
	return said
}

// forgotten says when histories are forgotten, and without what.
func (l *Log) forgotten(without string) string {
	if l.Idle == 0 {
		return "never forgotten"
	}
	return "forgotten after " + describe.RuleText(l.Idle) + without
}

// replay returns the command that shows more of the answer.
func (l *Log) replay() string {
	idle := "0"
	if l.Idle > 0 {
		idle = describe.RuleText(l.Idle)
	}
	return fmt.Sprintf("replay %s --strategies %s --idle %s", strings.Join(l.Files, " "), l.Spec, idle)
}

// blocks describes the log, and what its users would have seen.
func (l *Log) blocks() (blocks []document.Block) {
	say := func(format string, args ...any) {
		blocks = append(blocks, document.Paragraph(fmt.Sprintf(format, args...)))
	}
	if l.Recommended != "" {
		say("`%s` shows more of the answer. The 1 %% of articles shown most often have %.3g %% of the exposures: "+
			"the store salts, so that popular articles hide no others.", l.replay(), 100*l.TopShare)
	}
	if s := l.Seen; s != nil {
		blocks = append(blocks, document.Table{
			Title:  "What the log's users would have seen with it",
			Header: []string{"what", "how much"},
			Rows: [][]string{
				{"repeats recognised", share(s.Recognised, s.Repeats)},
				{"repeats shown, the history forgotten", share(s.Forgotten, s.Repeats)},
				{"repeats shown, outside the window", share(s.Outside, s.Repeats)},
				{"repeats shown inside it, must be 0", share(s.Inside, s.Repeats)},
				{"unseen articles reported as seen", share(s.FalsePositives, s.Unseen)},
				{"wrongly suppressed of 100 exposures", fmt.Sprintf("%.3g", 100*row.Mean(s.FalsePositives, l.Exposures))},
				{"users with a history at the end", share(s.Alive, l.Users)},
				{"payload at the end", text.Bytes(float64(s.Payload))},
				{
					fmt.Sprintf("%d such users, with %d B per user in the store", l.Needed.Users, l.Needed.StoreBytes()),
					bytesText(s.Expected),
				},
			},
		})
		if s.Inside > 0 {
			say("**FALSE NEGATIVES**: %s inside the guaranteed window shown, which must never happen.", repeats(s.Inside))
		}
	}
	if l.Read != "" {
		say("%s", document.Literal(l.Read))
	}
	blocks = append(blocks, describe.WindowTable(l.described))
	if l.Repeats == 0 {
		say("The log has no repeats, and so says nothing about the window. A window of %d is assumed.", l.Needed.Window)
		return blocks
	}
	say("At least %.4g %% of the %s are of a user's last %s, if histories are %s. "+
		"99 %% of the log's users are shown at most %s.", 100*l.Has, repeats(l.Repeats), articles(l.Needed.Window),
		l.forgotten(" without an article recorded"), articles(int(l.Most())))
	return blocks
}

// offers returns the tables of what fits and what does not, and notes on them.
func offers(n Need, all []Offer) []document.Block {
	header := []string{
		"strategy", "history", "a user", "all users", "FPR at worst", "mean", "window", "holds", "query", "request",
	}
	lasting := document.Table{Title: "What fits, the smallest first", Header: header}
	fixed := document.Table{Title: "What fits up to a fixed capacity, after which the FPR keeps growing", Header: header}
	unfit := document.Table{
		Title:  "What does not fit, and which constraint to relax: memory, FPR or window",
		Header: []string{"strategy", "a user", "why not", "memory", "or FPR", "or window"},
	}
	var code []string
	var notes document.List
	note := func(format string, args ...any) { notes.Items = append(notes.Items, fmt.Sprintf(format, args...)) }
	if Fitting(all) > 0 {
		note("The rule: %s", Rule)
	}
	beyond, timed := "", false
	for _, o := range all {
		name := short(o.Strategy)
		if name != o.Strategy {
			beyond = cmp.Or(beyond, o.Strategy)
		}
		switch {
		case !o.Fits:
			unfit.Rows = append(unfit.Rows, o.unfit(n))
		case o.kind.endless:
			fixed.Rows, code = append(fixed.Rows, o.line()), append(code, o.Go+" // "+o.Strategy)
		default:
			lasting.Rows, code = append(lasting.Rows, o.line()), append(code, o.Go+" // "+o.Strategy)
		}
		timed = timed || o.Fits && o.Request > 0
		if o.made == nil {
			note("%s: %s.", name, strings.TrimPrefix(o.Why, name+": "))
		}
	}
	if len(fixed.Rows) > 0 {
		note("A fixed capacity is ten windows, or --articles. A user who is shown more has a higher FPR or takes more.")
	}
	if len(code) > 0 {
		note("history: the longest, with its header, and the average over a rotation if it differs. A user: that and what the store keeps, %d bytes with a key or %d with "+
			"--numbered. Rates: exact closed forms, at the worst moment and on average over a cycle, or up to a fixed capacity.",
			keyedBytes, numberedBytes)
	}
	if timed {
		note("query: %d candidates. request: %d of them recorded, too. Times are those at 400 articles and 2 %%, where the "+
			"history is about as long, in the reference run (%s).", candidates, recorded, reference().machine)
	}
	if len(unfit.Rows) > 0 {
		note("which constraint to relax: the memory that all users need; or the lowest FPR, or the longest window, in the " +
			"memory given, with all else unchanged. – means that this alone does not help.")
	}
	if beyond != "" {
		note("queue, single, dual and chain are the paper's (--paper selects them). The others are packages such as %s.",
			beyond)
	}
	blocks := []document.Block{document.Paragraph(asked(n, all)), lasting, fixed}
	if len(code) > 0 {
		blocks = append(blocks, document.Code(strings.Join(code, "\n")))
	}
	return append(blocks, unfit, notes)
}

// line returns the offer's line in the tables of what fits.
func (o Offer) line() []string {
	window, holds := fmt.Sprint(o.Window), "for ever"
	if o.WindowMost != o.Window {
		window += fmt.Sprintf(" to %d", o.WindowMost)
	}
	if o.kind.endless {
		window, holds = "all", fmt.Sprintf("to article %d", o.Until)
	}
	query, request := text.None, text.None
	if o.Request > 0 {
		query, request = text.Nanos(o.Query), text.Nanos(o.Request)
	}
	return []string{
		short(o.Strategy), BytesText(o.history(), o.Average), fmt.Sprintf("%d B", o.User), bytesText(o.Total),
		text.Percent(o.FPR), text.Percent(o.FPRMean), window, holds, query, request,
	}
}

// unfit returns the offer's line in the table of what does not fit.
func (o Offer) unfit(n Need) []string {
	line := []string{short(o.Strategy), text.None, "see below", text.None, text.None, text.None}
	if o.made != nil {
		line[1], line[2], line[3] = fmt.Sprintf("%d B", o.User), o.Why, bytesText(o.Total)
	}
	if o.PossibleFPR > n.FPR {
		line[4] = text.Percent(o.PossibleFPR)
	}
	if o.PossibleWindow > 0 {
		line[5] = fmt.Sprint(o.PossibleWindow)
		if o.kind.endless {
			line[5] = "to article " + line[5]
		}
	}
	return line
}

func repeats(n int64) string { return plural.Of(n, "repeat", "repeats") }
func articles(n int) string  { return plural.Of(n, "article", "articles") }

// short returns a name without its prefix.
func short(name string) string { return strings.TrimPrefix(name, results.Beyond) }

// bytesText writes a number of bytes, rounded up.
func bytesText[N int64 | float64](bytes N) string { return text.Bytes(roundUp(float64(bytes))) }

func ratio(k, n int64) string { return text.Percent(row.Mean(k, n)) }

func share(k, n int64) string {
	if n == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%.4g %%)", k, n, 100*float64(k)/float64(n))
}
