package results

import "fmt"

// Quantities of pipeline. x is the delay, in seconds, from an article's being shown
// to its record's being in the history. Behind a quantity stands what is not as in
// the plainest case, in this order: how often users refresh (Every), whether the
// delay is the mean of an exponential, how fast a backlog is caught up with
// (CaughtUpAt), and the list beside the history (EdgeLists).
const (
	QAgain        = "repeats per article shown"
	QAgainLate    = "late repeats per article shown" // of them, those no record of which had landed
	QAgainCount   = "repeats"                        // their number; count is the articles shown
	QAgainSettled = "repeats with every record landed"
	QOvertaken    = "refreshes ahead of the record before" // share of those in a session
	QListLongest  = "longest list"                         // in bytes
	QListMean     = "bytes of a list"                      // of a user, on average over all users and the two days

	Exponentially = ", exponential delay"
	Densely       = ", densely" // behind the last of all: theory alone, at more delays
)

// Quantities of pipeline where the stream stands still. Of the first, x is the
// minutes since it stopped, in the middle of five of them; the others have none.
const (
	QAgainByMinute = "repeats per article shown, by the minute"
	QUntilNormal   = "minutes until normal"  // from the stream's return to the last repeat that is its fault
	QAgainOutage   = "repeats of the outage" // that are its fault; count is the articles shown over the two days
)

// Quantities of pipeline for real, by the exposure service of the module live; they have
// no x. Behind them, and behind P99, stands where exposures are durable: a way of
// LiveLogs.
const (
	QUntilFiltered = "from a show to its being filtered" // as another call sees it that comes when the first is answered
	QNotFiltered   = "articles not filtered then"        // of as many as count says
)

// LiveLogs are where the service keeps what was shown.
var LiveLogs = []string{", embedded log", ", Kafka", ByRedis}

// EdgeLists are the exact lists of what was just shown that pipeline tries beside a
// history, the first of them none.
var EdgeLists = []string{"", ", list of the last 20", ", list of the last 100", ", list of 2 min", ", list of 1 h"}

// Every says that users refresh every so many seconds; 0 is their own pauses.
func Every(seconds int) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf(", refresh every %d s", seconds)
}

// CaughtUpAt says that a backlog is read so many times as fast as it came in.
func CaughtUpAt(speed int) string { return fmt.Sprintf(", caught up at %d times", speed) }
