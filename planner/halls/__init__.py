"""Pages of halls: plan, elevations, what a lost part does."""
