"""A trigger that refuses to change what a revision says."""

from django.db import migrations

FORWARD = """
create function planner_refuse_revision_change() returns trigger language plpgsql as $$
begin
  raise exception 'a scenario revision never changes' using errcode = 'integrity_constraint_violation';
end $$;
create trigger planner_revision_never_changes
  before update on planner_scenariorevision
  for each row
  when (
    (old.scenario_id, old.number, old.document, old.document_hash, old.message, old.at)
    is distinct from
    (new.scenario_id, new.number, new.document, new.document_hash, new.message, new.at)
    or (new.by_id is not null and old.by_id is distinct from new.by_id)
  )
  execute function planner_refuse_revision_change();
"""
# `by` may only be emptied: that is what deleting a person does.

BACKWARD = """
drop trigger planner_revision_never_changes on planner_scenariorevision;
drop function planner_refuse_revision_change();
"""


class Migration(migrations.Migration):
    dependencies = [("planner", "0001_first")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
