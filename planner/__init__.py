"""What people plan: scenarios, projections, reports."""
