// Package cuckoo is a cuckoo filter of generations: a window like that of package
// chain, out of which single articles can be taken back.
//
// The problem is that a Bloom filter forgets only as a whole, and a filter of
// counters (package counting) takes four times its memory and never expires. A
// cuckoo filter (Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter:
// Practically Better Than Bloom", CoNEXT 2014) keeps a fingerprint of each article
// in one of two buckets of a few slots, and moves others to their second bucket
// where both are full. Here every slot also has the tag of a generation. Capacity
// articles make a generation; when the next one begins, the oldest of Generations
// gives up its tag, and its slots are free.
//
// The guarantee: the last (Generations-1)*Capacity + 1 to Generations*Capacity
// articles are remembered for certain. An article that finds no slot after many
// moves goes into a stash behind the table, and where that is full the history
// grows, up to a stash for all articles, so that there is no failure to insert;
// in a table no fuller than Fillable hardly anybody ever meets this. An expired
// article is as good as one never shown.
//
// Articles of one fingerprint and one pair of buckets are one and the same to the
// filter; a fresh one is reported as seen where it is like one of those alive, and
// for no other reason (FPR). Each of them has a copy of its own, so that one that
// is taken back leaves the other, and it is the oldest that goes: the newest is as
// long remembered as it has to be. Four copies are the most. A fifth takes the place
// of the oldest, and none of such an article can be taken back before it expires.
// Who takes back an article that the filter knows only by mistake, takes another
// with it, one at most.
//
// The price is the tag, and the slots that are free: 749 bytes for a window of 400
// at 2 %, where package chain takes 723 and can delete nothing. A query costs two
// loads. A light user's table is smaller: it doubles as articles come.
package cuckoo
