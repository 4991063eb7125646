package fpr

import (
	"maps"
	"slices"
	"testing"

	"dejavu/experiments/roomtest"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// The whole experiment, over few users.
func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000) }

// A point and its interval become shares of the unit at their own x, less one. Where
// the unit is zero, or unknown, there is no share.
func TestExcess(t *testing.T) {
	unit := []plots.Point{plots.At(0, 0), plots.At(100, 0.5), plots.At(200, 0.25)}
	points := []plots.Point{
		{X: 0, Y: 1, Low: 1, High: 1},
		{X: 200, Y: 0.5, Low: 0.25, High: 1},
		{X: 100, Y: 0.25, Low: 0, High: 0.5},
		{X: 300, Y: 1, Low: 1, High: 1},
	}
	want := []plots.Point{{X: 200, Y: 1, Low: 0, High: 3}, {X: 100, Y: -0.5, Low: -1, High: 0}}
	if got := excess(points, unit); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A measurement has a mark where its interval is known and on the axis, and a curve is drawn as far as the axis goes.
func TestKnownAndOnAxis(t *testing.T) {
	is := func(point plots.Point, isKnown, isOn bool) {
		t.Helper()
		if known(point) != isKnown || onAxis(point) != isOn {
			t.Errorf("%+v: known %v, on the axis %v", point, known(point), onAxis(point))
		}
	}
	is(plots.Point{Y: 0.01, Low: -0.01, High: 0.02}, true, true)
	is(plots.Point{Y: 0.01, Low: 0.01, High: 0.01}, false, true)
	is(plots.Point{Y: -0.02, Low: -0.03, High: -0.01}, false, true)
	is(plots.Point{Y: 0.02, Low: 0.01, High: 0.03}, false, true)
	is(plots.Point{Y: 0.03, Low: 0.01, High: 0.02}, true, false)
	is(plots.Point{Y: -0.03, Low: -0.02, High: 0.02}, true, false)
}

// Marks of two strategies with the same rates stand in different places.
func TestEveryThird(t *testing.T) {
	var points []plots.Point
	for x := range 24 {
		points = append(points, plots.At(float64(x), 0))
	}
	if got := everyThird(points, 4); len(got) != 8 || got[0].X != 1 || got[7].X != 22 {
		t.Errorf("the fifth strategy has marks at %v", got)
	}
	if got := everyThird(points[:23], 4); len(got) != 23 {
		t.Errorf("%d marks of few", len(got))
	}
}

// The figure of the formulas needs rates known to a few per cent, as of millions of
// users: a panel for each strategy that has an approximation and enough of them.
func TestGoldenFormulas(t *testing.T) {
	var rows []results.Row
	add := func(strategy, formula string, x, theory float64) *results.Row {
		rows = append(rows, results.Row{
			Experiment: results.FPR, Strategy: strategy, Quantity: results.QFPR, Unit: results.Ratio,
			Where: results.Where(by.Articles.At(x), by.Formula.Is(formula)), Theory: results.Num(theory),
		})
		return &rows[len(rows)-1]
	}
	for _, c := range []struct {
		strategy string
		marks    int
		approx   bool
	}{{"single", 6, true}, {"dual", 3, true}, {"chain", 2, true}, {"queue", 6, false}} {
		for i := range 9 {
			x, exact := 250*float64(i), 0.01*float64(i)
			add(c.strategy, results.ExactFormula, x, exact)
			if c.approx {
				add(c.strategy, results.AsymptoticFormula, x, exact*(0.961+0.005*float64(i)))
			}
			if r := add(c.strategy, "", x, exact); i > 0 && i <= c.marks {
				r.Value, r.Low, r.High = results.Num(exact*1.001), results.Num(exact*0.98), results.Num(exact*1.02)
			} else {
				r.Value, r.Low, r.High = results.Num(exact), results.Num(exact*0.9), results.Num(exact*1.1)
			}
		}
	}
	i := slices.IndexFunc(shown.Figures, func(f plots.Figure) bool { return f.Name == "fpr-formulas" })
	sheet, reason, err := plots.NewData(shown.Figures, rows).Lay(shown.Figures[i])
	if err != nil || reason != "" {
		t.Fatal(reason, err)
	}
	marks := map[string]int{}
	for _, p := range sheet.Panels {
		for _, series := range p.Series {
			marks[p.Title] += len(series.Points)
		}
	}
	if want := map[string]int{"Single filter": 6, "Dual filter": 3}; !maps.Equal(marks, want) {
		t.Errorf("the panels have marks %v, want %v", marks, want)
	}
}
