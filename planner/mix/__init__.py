"""The right mix of a scenario's fleets: the best one, the front, why not another one."""
