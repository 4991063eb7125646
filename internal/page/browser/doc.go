// Package browser opens the report of a run in a real Chromium, by tests alone.
// It is a module of its own, so that nobody else needs what drives a browser.
//
// The page is that of REPORT, a path, or else of the committed run, drawn anew. The browser is that of CHROMIUM, or
// the first known name in PATH; where there is none the tests are skipped, and say so. With SHOTS, a
// directory, they leave pictures of the page there, to be looked at.
package browser
