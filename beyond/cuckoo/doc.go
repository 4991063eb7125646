// Package cuckoo is a cuckoo filter of generations: a window like that of package chain, out of which single
// articles can be taken back.
//
// A cuckoo filter (Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom",
// CoNEXT 2014) keeps a fingerprint of each article in one of two buckets of a few slots, and moves others to
// their second bucket where both are full. Here every slot also has the tag of a generation. Capacity
// articles make a generation; when the next one begins, the oldest of Generations gives up its tag, and its
// slots are free.
//
// The guarantee: the last (Generations-1)*Capacity + 1 to Generations*Capacity articles are remembered for
// certain. An article that finds no slot after many moves goes into a stash behind the table, and where that
// is full the history grows, so that there is no failure to insert; in a table no fuller than Fillable that
// hardly ever happens.
//
// An unseen article is reported as seen where one alive has its fingerprint and its pair of buckets (FPR).
// Each of such articles has a copy, four at most, and the oldest goes when one is taken back. A fifth takes
// the place of the oldest, and none of them can be taken back before it expires. Taking back a false positive
// takes one other article with it.
//
// The price is the tag, and the slots that are free: 749 bytes for a window of 400 at 2 %, where package
// chain takes 723 and can delete nothing. A query costs two loads. A light user's table is smaller: it
// doubles as articles come.
package cuckoo
