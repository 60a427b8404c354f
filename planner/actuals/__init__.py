"""Bills of a scenario against the plan of one of its revisions (F24)."""
