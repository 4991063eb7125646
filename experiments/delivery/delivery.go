// Package delivery contains experiments on histories in a service: a stream that records late, shipping histories, a
// month of exposures, and snapshots.
package delivery
