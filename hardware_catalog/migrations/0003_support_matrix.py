"""The kind of entry that the support matrix is made of."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_sign_in_attempts'),
        ('hardware_catalog', '0002_benchmark_runs'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='catalogentry',
            name='catalog_entry_kind_known',
        ),
        migrations.AddConstraint(
            model_name='catalogentry',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['device', 'server', 'link', 'support', 'cloud_offer', 'egress', 'spot', 'language_model', 'device_alias', 'model_alias', 'region', 'rack', 'feed', 'cooling', 'pue_benchmark', 'cost_factor', 'planning_range'])), name='catalog_entry_kind_known'),
        ),
    ]
