package claims

import "dejavu/results"

// serviceClaims are those of the paper's §1, §2 and Table 1 on a whole service.
func serviceClaims() []Claim {
	daily := func(strategy, quantity string) Ref { return measured(results.Daily, strategy, quantity) }
	saved := func(strategy string) Evidence {
		return over(daily(strategy, results.QPayloadRule), daily(strategy, results.QPayloadNoRule))
	}
	inside := func(strategy string) Ref { return daily(strategy, results.QInside+", 24 h rule") }
	request := func(strategy string) Ref { return measured(results.Table1, strategy, results.QRequestP50) }
	return []Claim{
		{
			ID: "P29", Source: Paper, Section: "Table 1", Says: "the methods differ in time",
			Silent: "the cells with the times are missing from the copy at hand",
			Remedy: instead("measured here, ns a request of 40: queue %s, single %s, dual %s, chain %s",
				Rule{}, request("queue"), request("single"), request("dual"), request("chain")),
		},
		{
			ID: "P30a", Source: Paper, Section: "§2", Says: "clearing a buffer after 24 idle hours saves memory",
			Quantity: "payload with the rule over without", Unit: Times,
			Rule: Rule{[]Evidence{saved("queue"), saved("single"), saved("dual"), saved("chain")}, atMost(1), counted},
		},
		{
			ID: "P30b", Source: Paper, Section: "§1, §2", Says: "whatever a user is shown is new", Reading: "within the buffer, 24 h rule",
			Quantity: "repeats of what the buffer holds", Stated: results.Num(0),
			Rule: Rule{
				each(inside("queue"), inside("single"), inside("dual"), inside("chain")),
				equal(0), "'recently read' (§1) is what the buffer holds; " + noRepeat,
			},
		},
		{
			ID: "P30c", Source: Paper, Section: "§1, §2", Says: "whatever a user is shown is new", Reading: "a filter never cleared",
			Quantity: "repeats of what was ever shown", Stated: results.Num(0),
			Rule: Rule{each(daily("single", results.QInside+", no rule")), equal(0), noRepeat},
		},
	}
}
