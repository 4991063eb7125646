package users

import (
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Queries of the figures: of all users by their activity, of days, and of habits.
var (
	ratesByActivity = results.Find(results.QFPR, ruled, by.Activity.Open())
	bytesByActivity = results.Find(results.QBytesPerUser, ruled, by.Activity.Open())
	bytesByDay      = results.Find(results.QBytesPerUser, by.Day.Open())
	repeatsByDay    = results.Find(results.QRepeatRate, by.Day.Open())
	keptBySessions  = results.Find(results.QPayloadKept, by.Sessions.Open())
)

var dailyFigures = []plots.Figure{
	{
		Name: "daily", Experiment: results.Daily, Query: ratesByActivity, Build: byActivity,
		Title:   "Thirty days of reading: false positives and memory, by articles shown",
		Caption: "The false positive rate and the bytes of each strategy by how many articles a user was shown.",
	},
	{
		Name: "daily-idle", Experiment: results.Daily, Query: bytesByDay.With(ruled), Build: idle,
		Title: "Idle users forgotten, or not: memory and repeats by day",
		Caption: "Day by day, the memory of all users and the repeats that they are shown, where users are " +
			"forgotten after 24 idle hours and where nobody is.",
	},
	{
		Name: "daily-habits", Experiment: results.Daily, Query: keptBySessions, Strategies: plots.None, Build: ofHabits,
		Title: "Idle users forgotten, under other habits: memory and repeats",
		Caption: "The rule of 24 hours with a queue after thirty days, where users have other habits: one habit " +
			"changed at a time.",
	},
}

func byActivity(d plots.Data) plots.Sheet {
	axis := plots.ActivityAxis("articles shown to a user", d.Find(ratesByActivity), d.Find(bytesByActivity))
	panel := func(title string, y plots.Axis, q results.Query) *plots.Panel {
		p := &plots.Panel{Title: title, X: axis, Y: y}
		for _, s := range d.Series(q) {
			s.Points, s.Join = plots.ByBin(s.Points), true
			p.Add(s)
		}
		return p
	}
	return plots.Sheet{
		Columns: 2, Height: 190, Panels: []*plots.Panel{
			panel("(a) False positives", plots.Axis{
				Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Percent,
			}, ratesByActivity),
			panel("(b) Memory", plots.Axis{Label: "bytes per user", Format: plots.Bytes}, bytesByActivity),
		},
		Note: "Thirty days. Users are binned by powers of two; a mark stands at the least of its bin. Whiskers: 95 " +
			"% intervals. None: no false positive was measured. Users idle for 24 hours are forgotten.",
	}
}

// The looks of a strategy where idle users are forgotten, and where nobody is.
func forgotten(name string, color plots.Color, mark plots.Mark) plots.Look {
	return plots.Look{Name: name + ", idle forgotten", Color: color, Mark: mark}
}

func unforgotten(name string, color plots.Color, mark plots.Mark) plots.Look {
	return plots.Look{Name: name + ", nobody forgotten", Color: color, Mark: mark.Hollow(), Dash: plots.Dash{4, 2}}
}

func idle(d plots.Data) plots.Sheet {
	panel := func(title, label string, format plots.Format, q results.Query) *plots.Panel {
		p := &plots.Panel{
			Title: title, X: plots.Axis{Label: "days", Max: 31, Labels: 4}, Y: plots.Axis{Label: label, Format: format},
		}
		p.Add(d.Joined(q.Of("queue").With(unruled), unforgotten("Queue", plots.Black, plots.Circle))...)
		p.Add(d.Joined(q.Of("queue").With(ruled), forgotten("Queue", plots.Black, plots.Circle))...)
		p.Add(d.Joined(q.Of("chain").With(unruled), unforgotten("Chain", plots.Green, plots.Diamond))...)
		p.Add(d.Joined(q.Of("chain").With(ruled), forgotten("Chain", plots.Green, plots.Diamond))...)
		for i := range p.Series {
			p.Series[i].Points = plots.FewDays(p.Series[i].Points)
		}
		return p
	}
	return plots.Sheet{
		Columns: 2, Height: 185, Panels: []*plots.Panel{
			panel("(a) Memory", "bytes per user", plots.Bytes, bytesByDay),
			panel("(b) Repeats", "repeats among articles shown", plots.Percent, repeatsByDay),
		},
		Note: "Filled: users idle for 24 hours are forgotten. Hollow: nobody is. Bytes are means over all users, " +
			"with a history or without.",
	}
}

// ofHabits is of a queue.
func ofHabits(d plots.Data) plots.Sheet {
	usual := func(at float64) []plots.Guide { return []plots.Guide{{At: at, Label: "usual", Vertical: true}} }
	memory := &plots.Panel{
		Title: "(a) A queue's memory", Guides: usual(0.4),
		X: plots.Axis{
			Label: "sessions a day, the median", Scale: plots.Log, Min: 0.15, Max: 2.7, Format: plots.Number, Labels: 5,
		},
		Y: plots.Axis{Label: "memory, of that without forgetting", Max: 0.6, Format: plots.Percent},
	}
	for _, s := range d.Joined(keptBySessions.Of("queue"), forgotten("Queue", plots.Black, plots.Circle)) {
		s.Unnamed = true
		memory.Add(s)
	}
	repeats := func(p *plots.Panel, habit results.Dimension) *plots.Panel {
		p.Y.Max, p.Y.Format = 0.22, plots.Percent
		q := results.Find(results.QRepeatRate, habit.Open()).Of("queue")
		p.Add(d.Joined(q.With(ruled), forgotten("Queue", plots.Black, plots.Circle))...)
		p.Add(d.Joined(q.With(unruled), unforgotten("Queue", plots.Black, plots.Circle))...)
		return p
	}
	return plots.Sheet{
		Columns: 3, Height: 175, Panels: []*plots.Panel{
			memory,
			repeats(&plots.Panel{
				Title: "(b) Repeats, by age of what returns", Guides: usual(1),
				X: plots.Axis{
					Label: "weight of the older among repeats", Scale: plots.Log, Min: 0.4, Max: 2.5,
					Format: plots.Multiple, Labels: 5,
				},
				Y: plots.Axis{Label: "repeats among articles shown"},
			}, by.Octave),
			repeats(&plots.Panel{
				Title: "(c) Repeats, by share that returns", Guides: usual(0.2),
				X: plots.Axis{Label: "candidates shown before", Max: 0.42, Format: plots.Percent, Labels: 3},
				Y: plots.Axis{Blank: true},
			}, by.Share),
		},
		Note: "One habit is changed at a time; vertical: the usual one. (a): what is kept where users idle for 24 " +
			"hours are forgotten. (b): how many times as likely each octave of ages is to come back as the one " +
			"before. The tables have the other strategies and habits.",
	}
}

var dailyTables = append([]text.Table{
	{
		Title: "Thirty days of reading, with the 24 h rule / without: at the end, and over the last seven days",
		Lines: results.Q("daily: payload kept"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Values("users with a history", both, "users alive at rule=24h", "users alive at rule=none"),
			text.Values("payload", both, "payload total at rule=24h", "payload total at rule=none"),
			text.Value("with the rule over without", "payload kept", text.Of),
			text.Values("FPR", both, "fpr at rule=24h", "fpr at rule=none"),
			text.Values("repeats shown of 1000",
				func(r ...results.Row) string { return text.PerThousand(r[0]) + " / " + text.PerThousand(r[1]) },
				"repeats per article shown at rule=24h", "repeats per article shown at rule=none"),
		},
	},
	{
		Title: "Bytes of a user by days gone by, with the 24 h rule / without; in brackets, repeats shown of 1000 " +
			"with the rule",
		Lines: results.Q("daily: bytes per user at rule=24h, day=1"),
		Columns: text.ByStrategy(by.Day, []string{"1", "2", "3", "7", "14", "21", "30"},
			func(r ...results.Row) string { return both(r...) + " [" + text.PerThousand(r[2]) + "]" },
			"bytes per user at rule=24h", "bytes per user at rule=none", "repeats per article shown at rule=24h"),
	},
	{
		Title: "Thirty days of reading, over users: false positive rate and bytes at quantiles, with the 24 h rule",
		Lines: results.Q("daily: fpr at rule=24h, quantile=0.5"),
		Columns: text.ByStrategy(by.Quantile, []string{"0.5", "0.9", "0.99", "0.999"},
			func(r ...results.Row) string { return text.Of(r[0]) + ", " + text.Of(r[1]) },
			"fpr at rule=24h", "bytes per user at rule=24h"),
	},
},
	byHabit("sessions a day", by.Sessions, "0.2", "0.4", "1", "2"),
	byHabit("hours of the day", by.Hours, "2", "6", "24"),
	byHabit("rhythm", by.Rhythm, "1", "4", "16"),
	byHabit("weight of an octave of ages", by.Octave, "0.5", "1", "2"),
	byHabit("share of candidates that come back", by.Share, "0.05", "0.1", "0.2", "0.4"),
	byHabit("mean pause between refreshes, in seconds", by.Pause, "60", "180", "600", "1800"),
)

// byHabit returns the table of one habit.
func byHabit(name string, habit results.Dimension, values ...string) text.Table {
	return text.Table{
		Title: "Thirty days by " + name + ": payload with the 24 h rule over without, and repeats shown of 1000 " +
			"with it",
		Lines: results.Find(results.QPayloadKept, habit.Is(values[0])).In(results.Daily),
		Columns: text.ByStrategy(habit, values,
			func(r ...results.Row) string { return text.Of(r[0]) + ", " + text.PerThousand(r[1]) },
			"payload kept", "repeats per article shown at rule=24h"),
	}
}

// both writes a number with the rule and without it.
func both(r ...results.Row) string { return text.Of(r[0]) + " / " + text.Of(r[1]) }
