// Package by lists the dimensions of the experiments' rows: what a number depends on beside its strategy. Each is a
// column in their files. A condition is written as by.Articles.At(500) or by.Rule.Is("24h").
package by

import "dejavu/results"

func dimension(name, unit, about string) results.Dimension {
	return results.Dimension{Name: name, Unit: unit, About: about}
}

// Of a user's history.
var (
	Articles = dimension("articles", "articles", "articles shown to the user, or held by the filter")
	Age      = dimension("age", "articles", "how many articles ago one was shown: middle of a bin; in a log, its start")
	Elapsed  = dimension("elapsed", "s", "time since an article was shown: the start of a bin")
	Since    = dimension("since", "articles", "articles shown since the window changed; below 0 before")
	Activity = dimension("activity", "articles", "articles recorded for the user over the run: the start of a bin")
	Recorded = dimension("recorded", "",
		"passed: only articles that passed the filter are recorded; a number: articles recorded at once")
	Salt = dimension("salt", "", "user: every user has a salt; none: there is no salt")

	// Of users and time.
	Users = dimension("users", "users", "users whose histories are alive")
	Day   = dimension("day", "days", "days since the beginning")
	Rule  = dimension("rule", "", "24h: users idle for 24 hours are forgotten; none: no user is")
	Share = dimension("share", "",
		"of candidates that come back, of articles with this much or more, or a threshold over N")
	Sessions = dimension("sessions", "", "sessions that the median user begins a day")

	// Of a geometry, or of a formula.
	Bits      = dimension("bits", "bit", "bits of the filter")
	Hashes    = dimension("hashes", "", "hashes of the filter; best: the optimum for its bits")
	Target    = dimension("target", "", "the wanted false positive rate, or fill")
	Sized     = dimension("sized", "", "what all structures have in common: 2 % at a window of 400, or 512 B")
	Window    = dimension("window", "articles", "window that a structure is made for, if not 400")
	Formula   = dimension("formula", "", "the closed form that gives the number, if it is not measured")
	Structure = dimension("structure", "", "what a calculation in the sources is about: queue or filter")
	Keys      = dimension("keys", "", "the shape of the keys: random, sequential, decimal, URL")

	// Of a request and its time.
	Candidates = dimension("candidates", "articles", "candidates of a request")
	History    = dimension("history", "",
		"hot: one user's, again and again; cold: a random user's; together: many at once; touch: only its memory")
	Request = dimension("request", "", "what the candidates are: unseen, seen or mixed articles")
	Over    = dimension("over", "", "what a time is divided by, within a turn")
	Way     = dimension("way", "", "shipped: the history travels; asked: the candidates do")
	Network = dimension("network", "", "bandwidth and round trip of the modelled network")
	Step    = dimension("step", "", "step of a snapshot: save or load")
	Check   = dimension("check", "", "how a snapshot is checked when loaded: all its histories, or checksums")

	// Of a stream of exposures that comes late, and of popular articles.
	Delay     = dimension("delay", "s", "from showing an article until its record is in the history")
	Law       = dimension("law", "", "exponential: the delay is the mean of an exponential; otherwise constant")
	Refresh   = dimension("refresh", "s", "time between a user's refreshes, if not the user's own pauses")
	List      = dimension("list", "", "the exact list of the newest articles beside the history")
	Speed     = dimension("speed", "", "how many times as fast a backlog is read as it came in")
	Exponent  = dimension("exponent", "", "exponent of Zipf's law")
	Catalogue = dimension("catalogue", "articles", "articles in the catalogue")

	// Of how a number sums up others.
	Statistic = dimension("statistic", "", "mean, worst, least, most, bound, spread, or a percentile such as p99")
	Cause     = dimension("cause", "", "why repeats were shown: the history was forgotten, or they lay outside the window")
	Of        = dimension("of", "", "what the quantity is of, if it can be of several things")
)
