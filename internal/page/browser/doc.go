// Package browser tests a run's report in a real Chromium. It is a module of its own, so that nobody else depends on
// what drives a browser.
//
// REPORT is the path of the page; without it the committed run is drawn anew. CHROMIUM is the browser, or else the
// first known name in PATH; without a browser the tests are skipped, and say so. SHOTS is a directory for pictures of
// the page.
package browser
