package page

// Squeezed is for tests.
var Squeezed = squeezed
