"""The decision log, and a trigger that refuses to change what an entry says."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
import planner.models.ordered_json
from django.conf import settings
from django.db import migrations, models


FORWARD = """
create function planner_refuse_decision_change() returns trigger language plpgsql as $$
begin
  raise exception 'a decision is never edited' using errcode = 'integrity_constraint_violation';
end $$;
create trigger planner_decision_never_changes
  before update on planner_decision
  for each row
  when (
    (to_jsonb(old) - 'by_id') is distinct from (to_jsonb(new) - 'by_id')
    or (new.by_id is not null and old.by_id is distinct from new.by_id)
  )
  execute function planner_refuse_decision_change();
"""
# `by` may only be emptied: that is what deleting a person does.

BACKWARD = """
drop trigger planner_decision_never_changes on planner_decision;
drop function planner_refuse_decision_change();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_sign_in_attempts'),
        ('planner', '0004_background_runs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('engine_version', models.CharField(max_length=40)),
                ('result_hash', models.CharField(max_length=64)),
                ('chosen', planner.models.ordered_json.OrderedJSONField()),
                ('rejected', planner.models.ordered_json.OrderedJSONField(default=list)),
                ('reason', models.TextField()),
                ('decided_by', models.CharField(max_length=200)),
                ('decided_on', models.DateField()),
                ('by_name', models.CharField(max_length=200)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('corrects', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='corrected_by', to='planner.decision')),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='accounts.organisation')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='planner.scenariorevision')),
                ('scenario', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='planner.scenario')),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [models.UniqueConstraint(fields=('scenario', 'number'), name='one_decision_per_number'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='decision_from_one'), models.CheckConstraint(condition=models.Q(('result_hash__regex', '^[0-9a-f]{64}$')), name='decision_hash_is_sha256'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='decision_has_a_reason')],
            },
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
