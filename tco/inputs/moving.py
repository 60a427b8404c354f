"""Moving software to other machines, leaving them again, and the people who run them (F9)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure, Status


@dataclass(frozen=True, slots=True)
class Support:
    """What one framework can do of one feature on one device: a cell of the support matrix."""

    device: str  # key
    framework: str  # key, e.g. vllm
    feature: str  # key, e.g. fp8-kv-cache
    works: str  # works | partial | missing
    status: Status  # how well that is known
    source: str
    as_of: str = ""
    efficiency_fraction: Figure | None = None  # of what the hardware allows, where measured

    @property
    def key(self) -> str:
        """Device, framework and feature, as a list names the row."""
        return f"{self.device} {self.framework} {self.feature}"


@dataclass(frozen=True, slots=True)
class Port:
    """One model brought from one stack to another."""

    model: str = ""  # empty: that of the workload
    from_stack: str = ""
    to_stack: str = ""
    engineer_months: Figure | None = None  # None: by the support matrix


@dataclass(frozen=True, slots=True)
class Migration:
    """Porting to another stack (F9.1)."""

    engineer_months: Figure | None  # None: the sum of `ports`, or by the support matrix
    factor: Figure
    usd_per_engineer_month: Figure
    validation_usd: Figure | None = None
    dual_running_months: Figure | None = None
    delay_months: Figure | None = None
    benefit_usd_per_month: Figure | None = None
    contingency_fraction: Figure | None = None
    ports: tuple[Port, ...] = ()
    partial_feature_months: Figure | None = None  # work for a feature that works in part
    missing_feature_months: Figure | None = None  # work for a missing kernel
    people_trained: Figure | None = None
    usd_per_person_trained: Figure | None = None
    accuracy_tests_per_model: Figure | None = None
    usd_per_accuracy_test: Figure | None = None
    numeric_drift_usd: Figure | None = None  # tests between the two vendors
    old_usd_per_month: Figure | None = None  # run rate of the fleet that is left

    @property
    def models(self) -> int:
        """Models that move: one for each port, at least one."""
        return max(1, len(self.ports))


@dataclass(frozen=True, slots=True)
class Exit:
    """Leaving at the end of life: a migration, by how likely it is (F9.1)."""

    probability_fraction: Figure
    move: Migration


@dataclass(frozen=True, slots=True)
class Retraining:
    """A model trained again and again while it serves."""

    runs_per_year: Figure
    device_hours_per_run: Figure | None = None
    usd_per_device_hour: Figure | None = None
    usd_per_run: Figure | None = None  # beside or in place of device hours: data, people, API


@dataclass(frozen=True, slots=True)
class Staffing:
    """People who run everything of an option (F9.2); an FTE is one full-time person."""

    usd_per_fte_year: Figure
    base_fte: Figure
    fte_per_server: Figure
    fte_per_site: Figure
    fte_per_device_family: Figure
    minimum_fte_per_site: Figure
    rota: bool = False  # around the clock
    rota_fte: Figure | None = None  # least people of a rota
    shared_fraction: Figure | None = None  # of their time that other work pays for
