package results

// Arithmetic is the experiment that does the sources' own sums again. It is
// theory alone.
const Arithmetic = "arithmetic"

// Claims names the files of the ledger, claims.csv and claims.timing.csv. They
// hold verdicts, not rows, and ReadDir passes them over.
const Claims = "claims"

// Quantities of arithmetic, theory alone. The strategy column holds whose sum it
// is ("paper", "article", "lecture") or, for the smallest filters, beside QBits,
// QHashes and QFPRReached of x, the rate wanted, what is to be sized ("500
// articles", "100 articles", "five links", "ten links").
const (
	QQueuesBytes  = "bytes of queues"  // of 500 IDs of 8 bytes; x is the users
	QFiltersBytes = "bytes of filters" // of 500 bytes; x is the users

	QAsymptoticBest = "fpr asymptotic at the best hashes" // eq. 1 at k = x ln 2, no whole number; x is the bits an article
	QHalves         = "half to the hashes"                // (1/2)^k of the same k; x is the bits an article, or k itself
	QBestHashes     = "best hashes"                       // x ln 2; x is the bits an article

	QBitsEq3        = "bits by eq. 3"               // x is the articles of the catalogue; without x it has no end
	QCatalogue      = "catalogue of eq. 3"          // the least power of ten that asks for as many whole bits as one without end
	QBitsEq4        = "bits by eq. 4"               // eq. 3 and the factor below, nothing rounded
	QFactorEq4      = "bits by eq. 4 over eq. 3"    // log2 e
	QBitsPrinted    = "bits by eq. 4, as rounded"   // 1.44 times the whole bits of eq. 3
	QFPRByHashes    = "fpr by hashes"               // 500 articles in 4064 bits; x is the hashes
	QFPRByBits      = "fpr by bits"                 // 500 articles at 6 hashes; x is the bits
	QHeldAtMost     = "most articles at fpr"        // the most that a filter of 4064/6 holds at a rate of at most x
	QHeldAtLeast    = "least articles at fpr"       // the fewest at which its false positive rate is of at least x
	QFilledAt       = "least articles at fill"      // the fewest at which a share x of its bits are set
	QProbes         = "probes of an unseen article" // on average, the first bit not set ending the query; x is the articles held
	QBitsAt1        = "bits at 1 %"                 // n ln(1/p) / (ln 2)^2; x is the articles, as in the three below
	QBytesAt1       = "bytes at 1 %"                // an eighth of that
	QHashesAt1      = "hashes at 1 %"               // (m/n) ln 2, not rounded
	QFPRAt1         = "fpr at 1 %"                  // eq. 1 with that many bits, and the hashes rounded
	QPairs          = "pairs of seen and recalled"  // as many of the one as of the other, x
	QProbesRecalled = "probes of the recalled"      // the most that a filter of 7 hashes, for 1 %, takes for x of them
	QPerNatK        = "hashes a nat"                // 1 / ln 2
	QPerNatM        = "bits an article and nat"     // 1 / (ln 2)^2
	QFPRAtBits      = "fpr by bits an article"      // 500 articles at the best whole number of hashes; x is the bits an article
)

// QHotByHeld is a quantity of latency of its own: the time of a request of 40
// over that of a history of 100 articles, in the same turn; x is the articles held.
const QHotByHeld = "hot p50 over 100 articles held"
