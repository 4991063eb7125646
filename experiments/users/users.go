// Package users holds experiments on how people read: a month of daily use, and articles of unequal popularity.
package users
