"""How firm a scenario's choice is: the nearest turn, and what to measure next."""
