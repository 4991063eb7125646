// Package by lists the dimensions that rows of the experiments have: what a number
// depends on beside its strategy. Each is a column in the files of the experiments that
// declare it. A condition is read off the page: by.Articles.At(500), by.Rule.Is("24h").
package by

import "dejavu/results"

// dimension shortens what follows.
func dimension(name, unit, about string) results.Dimension {
	return results.Dimension{Name: name, Unit: unit, About: about}
}

// Of a user's history.
var (
	Articles = dimension("articles", "articles", "shown to the user, or held by the filter")
	Age      = dimension("age", "articles", "how many articles ago one was shown: the middle of a bin, of a log its least")
	Elapsed  = dimension("elapsed", "s", "since an article was shown: the lower edge of a bin")
	Since    = dimension("since", "articles", "shown since the window changed; below 0 before it")
	Lifetime = dimension("lifetime", "articles", "shown to a structure that never forgets and has no cycle")
	Activity = dimension("activity", "articles", "recorded for the user over the run: the lower edge of a bin")
	Recorded = dimension("recorded", "",
		"passed: only articles that passed the filter are recorded; a number: articles recorded at once")
	Salt = dimension("salt", "", "user: every user has a salt of their own; none")

	// Of users and time.
	Users    = dimension("users", "users", "whose histories are alive")
	Day      = dimension("day", "days", "gone by")
	Minute   = dimension("minute", "min", "since the stream stopped: the middle of a bin")
	Quantile = dimension("quantile", "", "of the users, by what the quantity says")
	Rule     = dimension("rule", "", "24h: users idle for 24 hours are forgotten; none")
	Share    = dimension("share", "", "of candidates that come back, or of articles that have as much or more")
	Pause    = dimension("pause", "s", "mean time between a user's refreshes")
	Sessions = dimension("sessions", "", "that the median user begins a day")
	Hours    = dimension("hours", "h", "of the day, a user's own, in which sessions begin")
	Rhythm   = dimension("rhythm", "", "of sessions: 1 is a Poisson process, more are as many exponentials a gap")
	Octave   = dimension("octave", "", "how many times as likely an octave of ages is to come back as the one before")
	Class    = dimension("class", "articles", "that a class of users is for")

	// Of a geometry, or of a formula.
	Bits      = dimension("bits", "bit", "of the filter")
	Hashes    = dimension("hashes", "", "of the filter; best: the optimum for its bits")
	Target    = dimension("target", "", "the false positive rate, or fill, that is wanted")
	Sized     = dimension("sized", "", "what all structures have alike: 2 % at a window of 400, or 512 B")
	Window    = dimension("window", "articles", "that a structure is made for, where it is not 400")
	Formula   = dimension("formula", "", "the closed form that the number is of, where it is not measured")
	Structure = dimension("structure", "", "what an arithmetic of the sources is about: queue or filter")
	Keys      = dimension("keys", "", "the shape of the keys: random, sequential, decimal, URL")

	// Of a request and its time.
	Candidates = dimension("candidates", "articles", "of a request")
	History    = dimension("history", "",
		"hot: one user's, again and again; cold: a random user's; together: many at once; touch: its memory alone")
	Request    = dimension("request", "", "what is asked for: unseen, seen or mixed articles")
	Goroutines = dimension("goroutines", "", "that serve at once")
	Over       = dimension("over", "", "what a time is divided by, within a turn")
	Way        = dimension("way", "", "shipped: the history travels; asked: the candidates do; in process: neither")
	Network    = dimension("network", "", "bandwidth and round trip of a network that is modelled")
	Protocol   = dimension("protocol", "", "of the exposure service: Connect, gRPC, or Redis without it")
	Log        = dimension("log", "", "where the exposure service keeps what was shown")
	Step       = dimension("step", "", "of a snapshot: save or load")
	Check      = dimension("check", "", "what a loading snapshot is checked by: all its histories, or checksums")

	// Of a stream of exposures that comes late, and of popular articles.
	Delay     = dimension("delay", "s", "from an article's being shown to its record's being in the history")
	Law       = dimension("law", "", "exponential: the delay is the mean of an exponential; else it is constant")
	Refresh   = dimension("refresh", "s", "between refreshes of a user, where it is not their own pauses")
	List      = dimension("list", "", "the exact list of the newest articles beside the history")
	Speed     = dimension("speed", "", "a backlog is read so many times as fast as it came in")
	Exponent  = dimension("exponent", "", "of Zipf's law")
	Catalogue = dimension("catalogue", "articles", "in the catalogue")
	Draw      = dimension("draw", "", "the number of a catalogue drawn anew, or the least, mean or most of them")

	// Of how a number sums up others.
	Statistic = dimension("statistic", "", "mean, worst, least, most, bound, spread, or a percentile such as p99")
	Cause     = dimension("cause", "", "why repeats were shown: the history was forgotten, or they lay outside the window")
	Of        = dimension("of", "", "what the quantity is of, where it can be of several things")
	Language  = dimension("language", "", "that a library is written in, where it is not Go")
	Tool      = dimension("tool", "", "for want of which a library was not measured")
)
